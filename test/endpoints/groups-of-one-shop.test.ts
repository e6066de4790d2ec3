import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { pluck, record } from '../support/listings.js';

const GTIN = '4006381333931';

/** Listings of one shop by SKU: their name, and what they state besides. */
const OF_ONE_SHOP: Record<string, [name: string, fields?: Record<string, unknown>]> = {
  rampart: ['Fortis - Rampart Series Case for Orvano Juniper 6s - Black', { brand: 'Fortis' }],
  lattice: ['Fortis - Lattice Series Case for Orvano Juniper 6s - Black', { brand: 'Fortis' }],
  longer: ['Fortis - Rampart Series Case for Orvano Juniper 6s Plus - Black', { brand: 'Fortis' }],
  glass: ['Fortis - Screen Protector for Orvano Juniper 6s', { brand: 'Fortis' }],
  phone: ['Orvano Juniper 6s 64GB Grey', { brand: 'Orvano' }],
  renewed: ['Orvano Juniper 6s 64GB Grey (Refurbished)', { brand: 'Orvano' }],
  cable: ['Velbright charging cable 1 m, white', { brand: 'Velbright' }],
  'cable-again': ['VELBRIGHT Charging Cable 1 m, white', { brand: 'Velbright' }],
  drill: ['Torvik hammer drill TX-5500', { metadata: { model: 'TX-5500' } }],
  'drill-renewed': ['Torvik hammer drill TX-5500 refurbished', { metadata: { model: 'TX5500' } }],
  kettle: ['Steamwright kettle 1.7 l steel', { gtin: GTIN, condition: 'new' }],
  'kettle-used': ['Steamwright steel kettle 1.7 l, used', { gtin: GTIN, condition: 'used' }],
};

describe('the groups of one shop', function () {
  const api = useApi([
    ...Object.entries(OF_ONE_SHOP).map(([sku, [name, fields]]) => record({ sku, name, ...fields })),
    record({ sku: 'gnome', name: 'Garden gnome with lantern', gtin: '036000291452' }),
    record({ sku: 'spool', name: 'Polyester thread spool 500 m', gtin: '036000291452', source: 'shop_b' }),
    record({
      sku: 'rampart-b',
      name: 'Fortis Rampart Case for Orvano Juniper 6s, Black',
      source: 'shop_b',
      brand: 'Fortis',
    }),
  ]);

  before(async () => {
    await outputOf(link, api.prefix);
  });

  const offersOf = async (sku: string): Promise<string[]> =>
    pluck((await api.ok(`/v1/products/${await api.id(sku)}/offers`)).offers, 'sku').sort();

  const GROUPS = [
    ['rampart', 'rampart-b'],
    ['lattice'],
    ['longer'],
    ['glass'],
    ['phone'],
    ['renewed'],
    ['cable', 'cable-again'],
    ['drill', 'drill-renewed'],
    ['kettle', 'kettle-used'],
    ['gnome'],
    ['spool'],
  ];
  for (const group of GROUPS) {
    it(`contain ${group.join(' and ')}`, async () => {
      assert.deepEqual(await offersOf(group[0] ?? ''), group);
    });
  }

  it('have no pair whose explanation contradicts the group', async () => {
    const product_ids = await Promise.all(['rampart', 'lattice', 'longer', 'rampart-b'].map(api.id));
    const { body } = await api.post('/v1/products/compare/diff', { product_ids, explain: true });
    const groups = new Map<number, number>();
    for (const id of product_ids) groups.set(id, (await api.ok(`/v1/products/${id}/offers`)).group_id);
    for (const { a, b, contradictions } of body.same_product) {
      const separating = contradictions.filter((one: string) => /line|model|variant|kind|edition/.test(one));
      if (groups.get(a) === groups.get(b)) assert.isEmpty(separating, `${a} ${b}`);
    }
  });
});
