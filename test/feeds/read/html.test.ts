import { assert } from 'chai';
import { textOfHtml } from '../../../src/feeds/read/html.js';

describe('the text of HTML', () => {
  const cases: [name: string, html: string, text: string][] = [
    ['HTML', '<p>A&nbsp;<b>soft</b> tee</p>\n<ul><li>S &amp; M</li></ul>', 'A soft tee\nS & M'],
    ['plain text with line breaks', 'A  tee\nof linen', 'A tee\nof linen'],
    ['entities that were encoded twice', 'K&amp;uuml;che &amp;amp; Bad', 'Küche & Bad'],
    ['HTML with entities that were encoded twice', '<p>K&amp;uuml;che</p><p>Bad</p>', 'Küche\nBad'],
    ['HTML that was encoded', '&lt;p&gt;Soft&lt;br&gt;tee&lt;/p&gt;', 'Soft\ntee'],
    ['HTML that was encoded twice', '&amp;lt;p&amp;gt;Soft &amp;amp; warm&amp;lt;/p&amp;gt;', 'Soft & warm'],
    ['HTML that mentions a tag', '<p>The tag &lt;b&gt; is bold</p>', 'The tag <b> is bold'],
    ['angle brackets that are no tags', 'a &lt;y&gt; b, 3 &lt; 4', 'a <y> b, 3 < 4'],
    ['a name with an ampersand', 'Fish & Chips &Co; 5 &copy', 'Fish & Chips &Co; 5 ©'],
  ];
  for (const [name, html, text] of cases) it(name, () => assert.strictEqual(textOfHtml(html), text));
});
