import { assert } from 'chai';
import { loadText, outcomesOf, recordsOf } from './fixtures.js';

const CRUMBS = { '@type': 'BreadcrumbList', itemListElement: [{ '@type': 'ListItem', position: 1 }] };
const product = (sku: string, offers: object) => ({ '@type': 'Product', sku, name: 'Stool Varg', offers });
const offer = (price: string) => ({ '@type': 'Offer', price, priceCurrency: 'CZK' });
const script = (text: string) => `<script type="application/ld+json">${text}</script>`;
const page = (text: string) => `<!doctype html>\n<p>Stools</p>\n${script(text)}\n`;

describe('JSON-LD of pages', () => {
  it('may be a list, which is one document', async () => {
    const list = [
      CRUMBS,
      product('A', { '@id': '#offer' }),
      { ...offer('49.00'), '@id': '#offer' },
      { '@type': 'ProductGroup', name: 'Stool', hasVariant: [product('B', offer('59.00'))] },
    ];
    const { items } = await loadText(page(JSON.stringify(list)), 'schemaorg');
    assert.deepEqual(
      items.map(({ line, error }) => [line, error]),
      [
        [3, undefined],
        [3, undefined],
      ],
    );
    assert.deepEqual(
      recordsOf(items).map(({ sku, price, currency }) => [sku, price, currency]),
      [
        ['A', '49.00', 'CZK'],
        ['B', '59.00', 'CZK'],
      ],
    );
  });

  it('may refer to words of schema.org, such as those of stock, by @id', async () => {
    const stocked = { ...offer('49.00'), availability: { '@id': 'https://schema.org/OutOfStock' } };
    const [record] = recordsOf(
      (await loadText(page(JSON.stringify(product('A', stocked))), 'schemaorg')).items,
    );
    assert.deepInclude(record, { sku: 'A', is_available: false });
  });

  it('may state what an offer offers instead of the offers of a product', async () => {
    const bare = { '@type': 'Product', sku: 'A', name: 'Stool Varg' };
    const read = async (document: object) => outcomesOf(page(JSON.stringify(document)), 'schemaorg');
    assert.deepEqual(await read({ ...offer('49.00'), itemOffered: bare }), ['49.00']);
    const graph = [
      { ...bare, '@id': '#stool' },
      { ...offer('59.00'), itemOffered: { '@id': '#stool' } },
    ];
    assert.deepEqual(await read({ '@graph': graph }), ['59.00']);
    const catalog = { '@type': 'OfferCatalog', itemListElement: [{ ...offer('69.00'), itemOffered: bare }] };
    assert.deepEqual(await read({ '@type': 'Store', hasOfferCatalog: catalog }), ['69.00']);
    // A product that states its offers has no others.
    const stated = {
      ...bare,
      '@id': '#stool',
      offers: { ...offer('79.00'), itemOffered: { '@id': '#stool' } },
    };
    assert.deepEqual(await read({ '@graph': [stated, { ...graph[1] }] }), ['79.00']);
  });

  it('may describe the group of a variant beside it or in it', async () => {
    const group = { '@type': 'ProductGroup', '@id': '#g', name: 'Stool', brand: 'Varg', productGroupID: 'G' };
    const variant = { '@type': 'Product', sku: 'A', offers: offer('49.00') };
    for (const document of [
      { '@graph': [group, { ...variant, isVariantOf: { '@id': '#g' } }] },
      { ...variant, isVariantOf: group },
    ]) {
      const [record] = recordsOf((await loadText(page(JSON.stringify(document)), 'schemaorg')).items);
      assert.deepInclude(record, { sku: 'A', name: 'Stool', brand: 'Varg', price: '49.00' });
      assert.deepInclude(record?.['metadata'], { item_group_id: 'G' });
    }
  });

  it('that is a list of no products is skipped, as an object without a product is', async () => {
    for (const text of ['[]', '["Stool"]', JSON.stringify([CRUMBS]), JSON.stringify(CRUMBS)])
      assert.deepEqual(await loadText(page(text), 'schemaorg'), { items: [], skipped: 1 }, text);
  });

  it('that is a list is repaired like an object, with the place of each repair', async () => {
    const one = JSON.stringify(product('A', offer('49.00')));
    const two = JSON.stringify(product('B', offer('59.00')));
    for (const [text, ...repairs] of [
      [`[${one},\n${two}];`, `a superfluous ; (line 4, column ${two.length + 2})`],
      [`[${one},\n${two},]`, `a superfluous comma (line 4, column ${two.length + 1})`],
      [`\nwindow.stools = [\n${one},${two}]`, 'JavaScript before the JSON (line 4, column 1)'],
      [
        `\n[\n// Two\n${one},\n${two},\n]`,
        'a comment (line 5, column 1)',
        `a superfluous comma (line 7, column ${two.length + 1})`,
      ],
    ] as const) {
      const { items } = await loadText(page(text), 'schemaorg');
      assert.deepEqual(
        recordsOf(items).map(({ sku, price }) => [sku, price]),
        [
          ['A', '49.00'],
          ['B', '59.00'],
        ],
        text,
      );
      assert.deepEqual(
        items.map((item) => item.repairs),
        [[...repairs], undefined],
        text,
      );
    }
  });

  it('that is a list is rejected where a price would be a guess, without other scripts', async () => {
    const text = `${page('[{"@type":"Product","sku":"A","name":"Stool","offers":{"price":49,00}}]')}${script(JSON.stringify([product('B', offer('59.00'))]))}`;
    const [first, ...rest] = await outcomesOf(text, 'schemaorg');
    assert.match(String(first), /^record: is not valid JSON: .* \(line 3, column \d+\)$/);
    assert.deepEqual(rest, ['59.00']);
  });

  it('that is a list: each product that is rejected states only itself', async () => {
    const list = [CRUMBS, product('A', offer('one or two')), product('B', offer('three or four'))];
    const { items } = await loadText(page(JSON.stringify(list)), 'schemaorg', { strict: true });
    assert.deepEqual(
      items.map(({ raw, reasons }) => [(raw as { sku: string }).sku, reasons?.length]),
      [
        ['A', 1],
        ['B', 1],
      ],
    );
    for (const { raw } of items) assert.isBelow(JSON.stringify(raw).length, 200);
  });
});
