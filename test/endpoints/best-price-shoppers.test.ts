import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer } from '../support/listings.js';

const PATH = '/v1/products/best-price';

describe('GET /v1/products/best-price for the texts of shoppers', () => {
  const tv = (sku: string, size: string, price: string) =>
    offer(sku, `Lumera ${size} 4K Television`, price, { category: 'Televisions' });

  const api = useApi([
    tv('tv-43', '43 Inch', '400.00'),
    tv('tv-55', '55 Inch', '700.00'),
    tv('tv-65', '65 Inch', '1200.00'),
    offer('mount', 'TV Wall Mount 32-55 inch', '20.00', { category: 'TV Mounts' }),
    offer('kettle', 'Delmora Electric Kettle 1.7L', '45.00'),
    offer('small-kettle', 'Delmora Electric Kettle 1L', '25.00'),
    offer(
      'headphones',
      'Openbox Sonvara SNC-210M5 Wireless, 8 Mics for Clear Calling, 40Hr Battery, Quick Charge',
      '250.00',
    ),
    offer('cpu', 'Tesselar Core t9-24900KS Desktop Processor', '700.00'),
    offer('card', 'Voxel RTV 3060 Twin Edge 12GB Graphics Card', '280.00'),
    offer('card-2', 'Kandela RTV 3060 Eagle Graphics Card', '300.00'),
    offer('laptop', 'Tarnix Harrier3 16IAH7 with 16in display, 16GB RAM, RTV 3060 6GB', '150.00'),
    offer('77', 'Sonvara Soundbar, new 2026 edition', '99.00'),
    offer('album', '1999', '12.00'),
    offer('console', 'Joyfield JS5 Console', '500.00'),
    offer('ssd', 'Stowbit 500GB SSD, M.2 2280, JS5 Compatible, No Heatsink', '60.00'),
    offer('memory', 'Stowbit Vulcan 32GB Kit (2 x 16GB), DDR5, 6000MHz, CL38', '130.00'),
    offer('fen', 'Kestrel Fen 9 Pro 256GB 12GB RAM Smartphone', '600.00', { brand: 'Kestrel' }),
    offer('kocher', 'Pantrix PKT6103 Edelstahl-Wasserkocher 1 l', '25.00'),
    offer('水壶', 'Pantrix 不锈钢电热水壶', '26.00'),
    offer('กา', 'กาต้มน้ำไฟฟ้า Pantrix', '27.00'),
    ...['900.00', '950.00', '990.00', '2.00'].map((price, at) =>
      offer(`phone-${at}`, 'Kestrel Tarn 15 Pro Smartphone', price, { source: `shop_${at}` }),
    ),
  ]);

  const best = async (q: string): Promise<string | number> => {
    const { status, body } = await api.get(`${PATH}?q=${encodeURIComponent(q)}`);
    return status === 200 ? body.sku : status;
  };

  it('answers a text that names nothing only if it is an identifier or a name', async () => {
    for (const vague of ['x', '5', '16', '2026', '5 under $50', 'used 5'])
      assert.equal(await best(vague), 404, vague);
    assert.equal(await best('77'), '77');
    assert.equal(await best('1999'), 'album');
  });

  it('finds a size that is stated in another unit', async () => {
    for (const q of ['kettle 1700 ml', 'kettle 1.7 litre', '1.7l electric kettle'])
      assert.strictEqual(await best(q), 'kettle', q);
    for (const q of ['109 cm television', '43 inch tv', '43" tv'])
      assert.strictEqual(await best(q), 'tv-43', q);
    assert.strictEqual(await best('32gb ddr5 6000'), 'memory');
  });

  it('leaves out the words around a product and those of stock and order in several languages', async () => {
    for (const q of [
      'günstigster Pantrix Wasserkocher',
      'Pantrix Wasserkocher aus Edelstahl sofort lieferbar',
      'wo kann ich einen Wasserkocher kaufen',
      'ich suche einen Wasserkocher für meine Mutter',
      'was kostet der Wasserkocher',
      'Wasserkocher Größe 1 l',
    ])
      assert.strictEqual(await best(q), 'kocher', q);
    for (const q of ['最便宜的电热水壶', '电热水壶 有现货', '哪里可以买电热水壶', '請問 电热水壶 多少錢'])
      assert.strictEqual(await best(q), '水壶', q);
    for (const q of ['กาต้มน้ำไฟฟ้า พร้อมส่ง', 'กาต้มน้ำไฟฟ้าซื้อที่ไหน', 'อยากซื้อกาต้มน้ำไฟฟ้าราคาถูก'])
      assert.strictEqual(await best(q), 'กา', q);
  });

  it('obeys price limits in the text, in any currency', async () => {
    assert.strictEqual(await best('tv under 500'), 'tv-43');
    assert.strictEqual(await best('tv above 500'), 'tv-55');
    assert.strictEqual(await best('tv between 800 and 1500'), 'tv-65');
    assert.strictEqual(await best('tv under RM5000'), 'tv-43', 'in a catalogue that prices in another');
    assert.strictEqual(await best('tv under RM500'), 404);
    assert.strictEqual(await best('tv under 100'), 404, 'what costs so little is a mount');
  });

  it('obeys the name of a shop in the text', async () => {
    for (const at of [1, 2]) assert.strictEqual(await best(`Tarn 15 Pro from shop_${at}`), `phone-${at}`);
    assert.strictEqual(await best('kettle from shop_1'), 404);
  });

  it('takes no size for a model number', async () => {
    for (const q of ['Kestrel Fen 12', 'Kestrel Fen 256', 'kestrel 12'])
      assert.strictEqual(await best(q), 404, q);
    for (const q of ['Kestrel Fen 9 Pro', 'Kestrel Fen 9 Pro 256', 'Kestrel Fen 9 Pro 12GB'])
      assert.strictEqual(await best(q), 'fen', q);
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
