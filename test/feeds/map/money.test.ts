import { assert } from 'chai';
import { statesNoPrice } from '../../../src/feeds/map/money.js';

describe('a text in place of a price', () => {
  it('is 0 or words', () => {
    for (const text of ['0', '0.00', 'EUR 0,00', '$0', 'call for price', 'auf Anfrage', '-', 'N/A'])
      assert.isTrue(statesNoPrice(text), text);
    for (const text of ['0.01', '10', '1.2.3', '139,99', '10.00 EUR', 'from 100.00', '٤٩', 'x'.repeat(41)])
      assert.isFalse(statesNoPrice(text), text);
  });
});
