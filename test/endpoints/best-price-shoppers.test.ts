import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';

const PATH = '/v1/products/best-price';

describe('GET /v1/products/best-price for the texts of shoppers', () => {
  let api: Api;
  const tv = (sku: string, size: string, price: string) =>
    record({ sku, name: `Lumera ${size} 4K Television`, category: 'Televisions', price });

  before(async () => {
    api = await startApi();
    await api.load([
      tv('tv-43', '43 Inch', '400.00'),
      tv('tv-55', '55 Inch', '700.00'),
      tv('tv-65', '65 Inch', '1200.00'),
      record({ sku: 'mount', name: 'TV Wall Mount 32-55 inch', category: 'TV Mounts', price: '20.00' }),
      record({ sku: 'kettle', name: 'Delmora Electric Kettle 1.7L', price: '45.00' }),
      record({ sku: 'small-kettle', name: 'Delmora Electric Kettle 1L', price: '25.00' }),
      record({
        sku: 'headphones',
        name: 'Openbox Sonvara SNC-210M5 Wireless, 8 Mics for Clear Calling, 40Hr Battery, Quick Charge',
        price: '250.00',
      }),
      record({ sku: 'cpu', name: 'Tesselar Core t9-24900KS Desktop Processor', price: '700.00' }),
      record({ sku: 'card', name: 'Voxel RTV 3060 Twin Edge 12GB Graphics Card', price: '280.00' }),
      record({ sku: 'card-2', name: 'Kandela RTV 3060 Eagle Graphics Card', price: '300.00' }),
      record({
        sku: 'laptop',
        name: 'Tarnix Harrier3 16IAH7 with 16in display, 16GB RAM, RTV 3060 6GB',
        price: '150.00',
      }),
      record({ sku: 'console', name: 'Joyfield JS5 Console', price: '500.00' }),
      record({
        sku: 'ssd',
        name: 'Stowbit 500GB SSD, M.2 2280, JS5 Compatible, No Heatsink',
        price: '60.00',
      }),
      record({
        sku: 'memory',
        name: 'Stowbit Vulcan 32GB Kit (2 x 16GB), DDR5, 6000MHz, CL38',
        price: '130.00',
      }),
      ...['900.00', '950.00', '990.00', '2.00'].map((price, at) =>
        record({ sku: `phone-${at}`, source: `shop_${at}`, name: 'Kestrel Tarn 15 Pro Smartphone', price }),
      ),
    ]);
  });
  after(() => api.stop());

  const best = async (q: string): Promise<string | number> => {
    const { status, body } = await api.get(`${PATH}?q=${encodeURIComponent(q)}`);
    return status === 200 ? body.sku : status;
  };

  it('finds a size that is stated in another unit', async () => {
    for (const q of ['kettle 1700 ml', 'kettle 1.7 litre', '1.7l electric kettle'])
      assert.strictEqual(await best(q), 'kettle', q);
    for (const q of ['109 cm television', '43 inch tv', '43" tv'])
      assert.strictEqual(await best(q), 'tv-43', q);
    assert.strictEqual(await best('32gb ddr5 6000'), 'memory');
  });

  it('obeys price limits in the text, in any currency', async () => {
    assert.strictEqual(await best('tv under 500'), 'tv-43');
    assert.strictEqual(await best('tv above 500'), 'tv-55');
    assert.strictEqual(await best('tv between 800 and 1500'), 'tv-65');
    assert.strictEqual(await best('tv under RM5000'), 'tv-43', 'in a catalogue that prices in another');
    assert.strictEqual(await best('tv under RM500'), 404);
    assert.strictEqual(await best('tv under 100'), 404, 'what costs so little is a mount');
  });

  it('does not mistake battery life or compatible products for what is for sale', async () => {
    assert.strictEqual(await best('SNC-210M5'), 'headphones');
    assert.strictEqual(await best('JS5'), 'console');
  });

  it('treats a model number with one more letter as another model if it ends with a letter', async () => {
    assert.strictEqual(await best('Core t9-24900K'), 404);
    assert.strictEqual(await best('Core t9-24900KS'), 'cpu');
  });

  it('prefers products named by the number over products that contain such a part', async () => {
    assert.strictEqual(await best('rtv 3060'), 'card');
    assert.strictEqual(await best('Tarnix Harrier3 RTV 3060'), 'laptop');
  });

  it('ranks placeholder prices last, like flagged prices', async () => {
    assert.strictEqual(await best('Tarn 15 Pro'), 'phone-0');
    assert.strictEqual(await best('Tarn 15 Pro under 100'), 404);
    const more = async (parameters: string) => {
      const { body } = await api.get(`${PATH}?q=Tarn+15+Pro&limit=9${parameters}`);
      return body.items.map(({ sku }: { sku: string }) => sku);
    };
    assert.deepEqual(await more(''), ['phone-0', 'phone-1', 'phone-2', 'phone-3']);
    assert.deepEqual(await more('&include_flagged=true'), ['phone-3', 'phone-0', 'phone-1', 'phone-2']);
  });
});
