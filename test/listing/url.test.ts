import { assert } from 'chai';
import { digitalLinkDigits, normaliseUrl } from '../../src/listing/url.js';

describe('normaliseUrl', () => {
  it('returns one result for all spellings of a URL', () => {
    for (const text of [
      'https://shop.example/p/1?a=1&b=2',
      'http://www.shop.example/p/1?b=2&a=1',
      'HTTPS://WWW.Shop.Example:443/p/1?utm_source=x&a=1&UTM_Campaign=y&b=2&gclid=z#reviews',
      'http://shop.example:80/p/%31?a=1&b=2',
      'https://shop.example./x/../p/1?a=%31&b=2&fbclid=1&srsltid=q',
      'https://user:pass@shop.example/p/1?b=2&a=1',
      'https://shop.example/p/1?ref_=sr_1&a=1&tag=deals-21&b=2&pd_rd_w=q',
    ]) {
      assert.equal(normaliseUrl(text), 'shop.example/p/1?a=1&b=2', text);
    }
    assert.equal(normaliseUrl('https://shop.example'), normaliseUrl('http://www.shop.example/?utm_id=1'));
    assert.equal(
      normaliseUrl('https://größe.example/größe?q=größe'),
      normaliseUrl('https://xn--gre-6ka8i.example/gr%c3%b6%C3%9Fe?q=gr%C3%B6%C3%9Fe'),
    );
    assert.equal(normaliseUrl('https://a.example/?q=a+b'), normaliseUrl('https://a.example/?q=a%20b'));
  });

  it('returns different results for pages that may differ', () => {
    const pages = [
      'https://shop.example/p/1',
      'https://shop.example/P/1',
      'https://shop.example/p/1/',
      'https://shop.example/p/1?id=1',
      'https://shop.example/p/1?id=2',
      'https://shop.example/p/1?id=1&id=2',
      'https://shop.example:8080/p/1',
      'https://m.shop.example/p/1',
      'https://shop.example/p/1?tag=kettles',
      'https://shop.example/p%2F1',
    ];
    assert.lengthOf(new Set(pages.map(normaliseUrl)), pages.length);
  });

  it('does not change a normalized URL', () => {
    const once = normaliseUrl('http://www.shop.example/%7ea/?b=%2f&a=é') ?? '';
    assert.equal(normaliseUrl(`https://${once}`), once);
  });

  it('returns null for anything but http and https URLs', () => {
    for (const text of [
      '',
      'shop.example/p',
      'ftp://shop.example/',
      'javascript:alert(1)',
      'https://',
      '//x/y',
    ]) {
      assert.isNull(normaliseUrl(text), text);
    }
  });

  it('digitalLinkDigits reads the digits of a GS1 Digital Link, whatever their check digit is', () => {
    for (const [link, digits] of [
      ['https://id.gs1.org/01/04006381333931', '04006381333931'],
      ['https://brand.example/some/path/01/4006381333931/10/ABC?17=271200', '4006381333931'],
      ['http://example.com/01/4006381333932/', '4006381333932'],
    ] as const) {
      assert.equal(digitalLinkDigits(link), digits, link);
    }
    for (const other of ['https://a.example/101/4006381333931', '01/4006381333931'])
      assert.isNull(digitalLinkDigits(other), other);
  });
});
