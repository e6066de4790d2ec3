import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';

const PATH = '/v1/products/best-price';
const BOARD = 'Quarzon Z590, 1700, ATX, 4 DDR5, HDMI, DP, 2.5G LAN, PCIe5, 3x M.2';
const CASE = 'Gaming Case w/ Glass Window, E-ATX, 3x RGB Fans, USB-C';
const DRIVE = 'External SSD, USB 3.2 Gen2 Type-C, Sleeve for Drop Protection';

/** Offers whose shops state no brand. The first offer of each name is the more expensive one. */
const OFFERS: [sku: string, source: string, name: string, price: string][] = [
  ['phantom', 'shop_a', `Velrock Z590 PHANTOM STORM 4, ${BOARD}`, '250.00'],
  ['phantom-b', 'shop_b', `Velrock Z590 Phantom Storm 4, ${BOARD}`, '240.00'],
  ['legend', 'shop_a', `Velrock Z590 IRON LEGEND, ${BOARD}`, '190.00'],
  ['phantom-m', 'shop_b', `Velrock Z590M PHANTOM STORM 4, ${BOARD}`, '170.00'],
  ['other-maker', 'shop_c', `Tarnix Z590 PHANTOM STORM 4, ${BOARD}`, '150.00'],
  ['prime', 'shop_a', `Tarnix REGAL X570-P, ${BOARD}`, '260.00'],
  ['prime-b', 'shop_b', `Tarnix REGAL X570-P, ${BOARD}`, '255.00'],
  ['prime-wifi', 'shop_b', `Tarnix REGAL X570-P WIFI, ${BOARD}, Wi-Fi 6`, '230.00'],
  ['prime-wifi-2', 'shop_c', `Tarnix REGAL X570-P WIFI II, ${BOARD}, Wi-Fi 6E`, '220.00'],
  ['marion', 'shop_a', 'Tarnix ROD MARION M.2 SSD Caddy, USB-C, Aluminium', '50.00'],
  ['marion-lite', 'shop_b', 'Tarnix ROD MARION LITE M.2 SSD Caddy, USB-C, Aluminium', '40.00'],
  ['ridge', 'shop_a', `Fjordal Ridge R6 (Black) ${CASE}`, '140.00'],
  ['ridge-mini', 'shop_b', `Fjordal Ridge R6 Mini (Black) ${CASE}`, '110.00'],
  ['storm', 'shop_a', `Fjordal Design Tempest (White) ${CASE}`, '160.00'],
  ['storm-rgb', 'shop_b', `Fjordal Design Tempest RGB (White) ${CASE}, 3 x 12cm Fans`, '155.00'],
  ['storm-plain', 'shop_c', `Fjordal Design Tempest Duo (White) ${CASE}, 3 x 12cm Fans`, '120.00'],
  ['seasons', 'shop_a', 'tiny town 2 seasons expansion pack', '34.00'],
  ['pets', 'shop_a', 'tiny town 2 pets expansion pack', '30.00'],
  ['seasons-b', 'shop_b', 'Maxwell Tiny Town 2 Seasons Expansion Pack PC', '36.00'],
  ['guard', 'shop_a', 'webguard child guard 3-pc', '40.00'],
  ['guard-single', 'shop_b', 'webguard child guard', '20.00'],
  ['lucid', 'shop_a', `Gamera Infinia ${CASE}`, '90.00'],
  ['vista', 'shop_b', 'Gamera Vista Gaming Case w/ Glass Window, 3x Infinia Fans', '60.00'],
  ['drive', 'shop_a', `Kingsto XS3000 2TB Pocket Size ${DRIVE}`, '180.00'],
  ['drive-b', 'shop_b', `Kingsto XS3000 2TB Pocket Size ${DRIVE}`, '175.00'],
  ['camera', 'shop_a', 'Optara EON R5 II Mirrorless Camera', '4000.00'],
  ['camera-b', 'shop_b', 'Optara EON R5 Mark II Body', '3900.00'],
  ['camera-c', 'shop_b', 'Optara EON R5 C Cinema Camera', '3500.00'],
  ...['Fovea', 'Lumina', 'Nikora'].map((maker, at): [string, string, string, string] => [
    `camera-${at}`,
    'shop_c',
    `${maker} Z${at + 5} Mirrorless Camera`,
    '1500.00',
  ]),
  ['phone', 'shop_a', 'Kestrel Orbit S24+ 256GB', '900.00'],
  ['phone-b', 'shop_b', 'Kestrel Orbit S24 Plus 256 GB Smartphone', '880.00'],
  ['phone-small', 'shop_b', 'Kestrel Orbit S24 256GB', '700.00'],
];

describe('GET /v1/products/best-price in shops that state no brand', () => {
  const api = useApi(
    OFFERS.map(([sku, source, name, price]) => record({ sku, source, name, price, brand: null })),
  );

  const offersOf = async (q: string): Promise<string[]> => {
    const { status, body } = await api.get(`${PATH}?limit=20&q=${encodeURIComponent(q)}`);
    return status === 200 ? body.items.map(({ sku }: { sku: string }) => sku) : [];
  };

  const CASES: [rule: string, q: string, skus: string[]][] = [
    ['another line of the maker', 'Velrock Z590 PHANTOM STORM 4', ['phantom-b', 'phantom']],
    ['a full name with the same specifications', `Velrock Z590 IRON LEGEND, ${BOARD}`, ['legend']],
    ['a model number with a further letter', 'velrock z590m phantom storm 4', ['phantom-m']],
    ['another maker', `Tarnix Z590 PHANTOM STORM 4, ${BOARD}`, ['other-maker']],
    ['a word by which a shop tells variants apart', `Tarnix REGAL X570-P, ${BOARD}`, ['prime-b', 'prime']],
    ['a numbered variant', 'Tarnix REGAL X570-P WIFI', ['prime-wifi']],
    ['a tier word', 'Tarnix ROD MARION M.2 SSD Caddy', ['marion']],
    ['a tier word behind the model', 'Fjordal Ridge R6 Gaming Case', ['ridge']],
    ['a word that only the specifications contain', 'gamera infinia gaming case', ['lucid']],
    ['a line that is named without the kind of thing', 'Fjordal Design Tempest RGB', ['storm-rgb']],
    [
      'the only word in which two titles differ',
      'tiny town 2 seasons expansion pack',
      ['seasons', 'seasons-b'],
    ],
    ['the number of computers', 'webguard child guard 3-pc', ['guard']],
    ['a letter behind the model', 'Optara EON R5 Mark II', ['camera-b', 'camera']],
  ];
  for (const [rule, q, skus] of CASES) {
    it(`tells products apart by ${rule}: ${q.slice(0, 40)}`, async () => {
      assert.deepEqual(await offersOf(q), skus);
    });
  }

  it('does not take what comes with the product for the product', async () => {
    assert.deepEqual(await offersOf('Gamera Vista Gaming Case w/ Glass Window'), ['vista']);
  });

  it('reads a plus sign and the word "plus" alike', async () => {
    for (const q of ['Kestrel Orbit S24+', 'kestrel orbit s24 plus'])
      assert.deepEqual(await offersOf(q), ['phone-b', 'phone'], q);
  });

  it('does not take a product for an accessory because of a word in its specifications', async () => {
    assert.deepEqual(await offersOf('Kingsto XS3000 2TB Pocket Size External SSD'), ['drive-b', 'drive']);
  });

  it('takes no word for a model or an accessory from the description', async () => {
    const load = (sku: string, name: string, description: string) =>
      api.load([record({ sku, name, description, price: '200.00', brand: null })]);
    await load(
      'pad',
      'Bonwell 2.4 GHz Wireless Controller for Gamebox One Elite S/X',
      'Fits the Gamebox Series S.',
    );
    await load('gamebox', 'Gamebox Series X Console 1TB', 'The controller is wireless.');
    assert.deepEqual(await offersOf('gamebox series x controller'), []);
    assert.deepEqual(await offersOf('gamebox series x wireless'), ['gamebox']);
  });

  it('takes a short number for no model that implies its brand', async () => {
    const load = (sku: string, name: string, brand: string | null) =>
      api.load([record({ sku, name, brand, price: '300.00' })]);
    await load('sono', 'Sono 10 Phone 32GB', 'Sono');
    await load('switch', 'Desk 8-port 10/100/1000Mbps Gigabit Switch Unmanaged', null);
    assert.deepEqual(await offersOf('sono 10'), ['sono']);
  });

  it('reads a listing anew after it has changed', async () => {
    const price = '20.00';
    const load = (name: string) => api.load([record({ sku: 'renamed', name, price, brand: null })]);
    await load('Renova Halo H20 Desk Lamp');
    assert.deepEqual(await offersOf('Renova Halo H20'), ['renamed']);
    await load('Renova Halo H30 Desk Lamp');
    assert.deepEqual(await offersOf('Renova Halo H20'), []);
    assert.deepEqual(await offersOf('Renova Halo H30'), ['renamed']);
  });
});
