import { assert } from 'chai';
import { unfoldSchemaOrg } from '../../../src/feeds/map/schemaorg.js';
import { outcomesOf } from './fixtures.js';

describe('prices of schema.org', () => {
  const month = { '@type': 'UnitPriceSpecification', price: 29.9, billingDuration: 'P1M' };
  const full = { '@type': 'UnitPriceSpecification', price: 649, priceCurrency: 'EUR' };
  const pricesOf = (offers: unknown) =>
    unfoldSchemaOrg({ '@type': 'Product', sku: 'A', name: 'Phone', offers }).map(({ offer, several }) => {
      const { price, priceSpecification, lowPrice, partialPrice, listPrice } = offer as Record<string, any>;
      assert.isUndefined(several);
      if (partialPrice !== undefined) return `part ${partialPrice}`;
      return `${price ?? priceSpecification?.price ?? lowPrice}${listPrice === undefined ? '' : ` of ${listPrice.price}`}`;
    });

  it('the complete price is found among those of periods, units and customers', () => {
    const kinds: Record<string, object> = {
      duration: month,
      increment: { price: 29.9, billingIncrement: 1, unitCode: 'MON' },
      quantity: { price: 29.9, referenceQuantity: { value: 1, unitCode: 'MON' } },
      text: { price: 29.9, unitText: 'per month' },
      component: { price: 29.9, priceComponentType: 'https://schema.org/Installment' },
      kilogram: { price: 29.9, referenceQuantity: { value: 1, unitCode: 'KGM' } },
      litre: { price: 29.9, unitCode: 'LTR' },
      ten: { price: 29.9, eligibleQuantity: { minValue: 10 } },
      member: { price: 29.9, validForMemberTier: { name: 'Gold' } },
    };
    for (const [kind, part] of Object.entries(kinds)) {
      assert.deepEqual(pricesOf({ priceSpecification: [part, full] }), ['649'], kind);
      assert.deepEqual(pricesOf({ price: '29.90', priceSpecification: [part, full] }), ['649'], kind);
      assert.deepEqual(pricesOf({ price: 649, priceSpecification: part }), ['649'], kind);
      assert.deepEqual(pricesOf({ priceSpecification: part }), ['part 29.9'], kind);
      assert.deepEqual(pricesOf({ price: 29.9, priceSpecification: part }), ['part 29.9'], kind);
    }
    const list = { price: 799, priceType: 'https://schema.org/ListPrice' };
    assert.deepEqual(pricesOf({ priceSpecification: [list, month, full] }), ['649 of 799']);
    const wine = {
      price: 81,
      referenceQuantity: { value: 4.5, unitCode: 'LTR', valueReference: { value: 1 } },
    };
    assert.deepEqual(pricesOf({ priceSpecification: wine }), ['81']);
    assert.deepEqual(
      pricesOf({ priceSpecification: { price: 8, referenceQuantity: { value: 1, unitCode: 'C62' } } }),
      ['8'],
    );
  });

  it('an offer for a period is no second listing beside a complete one', () => {
    const monthly = { price: 29.9, priceSpecification: month };
    assert.deepEqual(pricesOf([monthly, { price: 649, priceCurrency: 'EUR' }]), ['649']);
    assert.deepEqual(
      pricesOf([
        { price: 649 },
        monthly,
        { price: 19, businessFunction: 'http://purl.org/goodrelations/v1#LeaseOut' },
      ]),
      ['649'],
    );
    const [own, other] = unfoldSchemaOrg({
      '@type': 'Product',
      sku: 'A',
      offers: [
        { ...monthly, seller: { name: 'B' } },
        { price: 649, seller: { name: 'C' } },
      ],
    });
    assert.deepEqual([(own?.['offer'] as any).partialPrice, (other?.['offer'] as any).price], ['29.9', 649]);
  });

  it('a product with such a price alone is rejected, but not a "from" price', async () => {
    const page = (offers: object) =>
      outcomesOf(JSON.stringify({ '@type': 'Product', sku: 'A', name: 'Phone', offers }), 'schemaorg');
    assert.deepEqual(await page({ priceCurrency: 'EUR', priceSpecification: month }), [
      'price: is only stated for a period, an installment, a unit, some customers, delivery or payment, or as a range, not for the product',
    ]);
    assert.deepEqual(await page({ priceCurrency: 'EUR', price: 'from 29.90' }), ['29.90']);
  });

  const page = (offers: unknown, currency?: string) =>
    outcomesOf(JSON.stringify({ '@type': 'Product', sku: 'A', name: 'Desk', offers }), 'schemaorg', {
      currency,
    });
  const NO_PRICE =
    'price: is only stated for a period, an installment, a unit, some customers, delivery or payment, or as a range, not for the product';

  it('a charge for delivery or payment is not the price', async () => {
    const desk = { '@type': 'PriceSpecification', price: 389, priceCurrency: 'EUR' };
    const charges = [
      { '@type': 'DeliveryChargeSpecification', price: 6.5, priceCurrency: 'EUR' },
      { '@type': ['PaymentChargeSpecification'], price: 3, priceCurrency: 'EUR' },
      { '@type': 'https://schema.org/DeliveryChargeSpecification', price: 6.5 },
    ];
    for (const charge of charges) {
      assert.deepEqual(await page({ priceSpecification: [charge, desk] }), [389]);
      assert.deepEqual(await page({ priceSpecification: [desk, charge] }), [389]);
      assert.deepEqual(await page({ price: 389, priceSpecification: charge }), [389]);
      assert.deepEqual(await page({ priceSpecification: charge }), [NO_PRICE]);
      assert.deepEqual(await page({ priceSpecification: [charge, month] }), [NO_PRICE]);
    }
  });

  it('a net price counts only without a gross one', async () => {
    const net = { price: 17.99, priceCurrency: 'EUR', valueAddedTaxIncluded: false };
    const gross = { price: 21.41, priceCurrency: 'EUR', valueAddedTaxIncluded: true };
    const { valueAddedTaxIncluded: _, ...plain } = gross;
    for (const full of [gross, plain]) {
      assert.deepEqual(await page({ priceSpecification: [net, full] }), [21.41]);
      assert.deepEqual(await page({ priceSpecification: [full, net] }), [21.41]);
      assert.deepEqual(
        await page({ price: '17.99', priceCurrency: 'EUR', priceSpecification: [net, full] }),
        [21.41],
      );
    }
    assert.deepEqual(await page({ priceSpecification: { ...net, valueAddedTaxIncluded: 'False' } }), [17.99]);
    assert.deepEqual(await page({ price: '17.99', priceCurrency: 'EUR', priceSpecification: net }), [
      '17.99',
    ]);
  });

  it('a compound price with a monthly component is no complete price', async () => {
    const compound = (...priceComponent: object[]) => ({
      '@type': 'CompoundPriceSpecification',
      priceComponent,
    });
    const contract = compound({ price: 9 }, month);
    const bound = { price: '9.00', priceCurrency: 'EUR', priceSpecification: contract };
    assert.deepEqual(pricesOf([bound, { price: 389, priceCurrency: 'EUR' }]), ['389']);
    assert.deepEqual(await page(bound), [NO_PRICE]);
    assert.deepEqual(await page({ priceSpecification: { ...contract, price: 9 } }), [NO_PRICE]);
    const delivery = { '@type': 'DeliveryChargeSpecification', price: 6.5 };
    assert.deepEqual(
      await page({ priceSpecification: { ...compound({ price: 389 }, delivery), price: 395.5 } }),
      [389],
    );
    assert.deepEqual(
      await page({ priceSpecification: { ...compound({ price: 380 }, { price: 9 }), price: 389 } }),
      [389],
    );
    assert.deepEqual(await page({ priceSpecification: compound({ price: 380 }, { price: 9 }) }), [NO_PRICE]);
    const graph = {
      '@graph': [
        {
          '@type': 'Product',
          sku: 'A',
          name: 'Desk',
          offers: { ...bound, priceSpecification: compound({ price: 9 }, { '@id': '#m' }) },
        },
        { '@id': '#m', ...month },
      ],
    };
    assert.deepEqual(await outcomesOf(JSON.stringify(graph), 'schemaorg'), [NO_PRICE]);
  });

  it('a range alone is a "from" price if it has a beginning', async () => {
    const ranges: [object, unknown][] = [
      [{ minPrice: 389 }, '389'],
      [{ maxPrice: '499.00' }, NO_PRICE],
      [{ minPrice: 389, maxPrice: 499 }, '389'],
    ];
    for (const [range, expected] of ranges) {
      assert.deepEqual(await page({ priceSpecification: { ...range, priceCurrency: 'EUR' } }), [expected]);
      assert.deepEqual(await page({ price: 399, priceSpecification: range }), [399]);
      assert.deepEqual(await page({ priceSpecification: [range, { price: 399 }] }), [399]);
    }
    assert.deepEqual(await page({ priceSpecification: [{ priceCurrency: 'EUR' }, { price: 399 }] }), [399]);
  });

  it('a list price in another currency than the price is none', async () => {
    const list = (currency?: string) => ({
      price: '449.00',
      priceCurrency: currency,
      priceType: 'https://schema.org/ListPrice',
    });
    const own = { price: 389, priceCurrency: 'EUR' };
    assert.deepEqual(await page({ ...own, priceSpecification: list('USD') }), [389]);
    assert.deepEqual(await page({ priceSpecification: [own, list('USD')] }), [389]);
    assert.deepEqual(await page({ price: 389, priceSpecification: list('USD') }, 'EUR'), [389]);
    assert.deepEqual(await page({ ...own, priceSpecification: list('EUR') }), ['389 of 449.00']);
    assert.deepEqual(await page({ ...own, priceSpecification: list() }), ['389 of 449.00']);
  });

  it('a price or an offer that is not in force is left out if there is one that is', async () => {
    const day = (date: string) => ({ validFrom: `${date}T00:00`, validThrough: date });
    const over = { price: 64, priceCurrency: 'EUR', ...day('2026-11-21') };
    const today = { price: 72, priceCurrency: 'EUR', ...day('2026-11-22') };
    const later = { price: 56, priceCurrency: 'EUR', validFrom: '2026-11-22T12:01Z' };
    const usual = { price: 80, priceCurrency: 'EUR' };
    const expired = { ...usual, price: 48, priceValidUntil: '2026-11-21' };
    for (const other of [over, later]) {
      assert.deepEqual(await page({ priceSpecification: [other, usual] }), [80]);
      assert.deepEqual(await page([other, usual]), [80]);
      // Of an offer alone, the times may be stale.
      assert.deepEqual(await page({ priceSpecification: other }), [other.price]);
      assert.deepEqual(await page(other), [other.price]);
    }
    assert.deepEqual(await page({ priceSpecification: [over, today, usual] }), [72]);
    assert.deepEqual(await page([expired, usual]), [80]);
    for (const name of ['sku', 'url', 'name'])
      assert.deepEqual(
        await page([
          { ...expired, [name]: 'B' },
          { ...usual, [name]: 'C' },
        ]),
        [48, 80],
      );
    assert.deepEqual(await page({ priceSpecification: [{ ...today, validThrough: 'soon' }, usual] }), [72]);
  });
});
