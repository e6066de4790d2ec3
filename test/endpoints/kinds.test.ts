import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer } from '../support/listings.js';

describe('the listings of a kind', () => {
  const api = useApi([
    offer('rono', 'Laptop Rono L14 14 inch', '399.00'),
    offer('tarnix', 'Tarnix Alder 15.6" Laptop 8GB', '360.00'),
    offer('255', 'Laptop Veltra 255 G8 15.6', '380.00'),
    offer('bag', 'Laptop bag Samsola 15 inch', '19.00'),
    offer('sleeve', 'Laptop sleeve Rono L14', '12.00'),
    offer('paper', 'Kestrel Notebook A5 ruled 80 pages', '3.00'),
    offer('ring', 'Notebook Papyrine spiral A4', '2.50'),
    offer('rk17', 'Kettle Rono RK17', '24.00'),
    offer('hobson', 'Kettle Hobson Mills 24360 Honeycomb', '26.00'),
    offer('lumo', 'Lumo Electric Kettle 2L', '29.00'),
    offer('descaler', 'Kettle descaler 250ml', '4.00'),
    offer('koch', 'Wasserkocher Delmora TWK3A011 1,7 l', '31.00'),
    offer('koch-2', 'Delmora TWK8613P Wasserkocher', '65.00'),
    offer('filter', 'Kalkfilter für Wasserkocher Delmora', '8.00'),
    offer('aspi', 'Aspirateur Rono V8 Absolute', '349.00'),
    offer('aspi-2', 'Aspirateur Velora XF860', '299.00'),
    offer('sac', 'Sac aspirateur Velora ZR200520', '12.00'),
    offer('filtre', 'Filtre pour aspirateur Rono V8', '15.00'),
    offer('jet', 'Orvane PXA TS202 Inkjet Printer', '20.95', { category: 'Printers' }),
    offer('laser', 'Orvane LaserWave M110w Printer', '248.95', { category: 'Printers' }),
    offer('ink', 'Orvane 305 Printer Ink Black', '12.00', { category: 'Ink & Toner' }),
    offer('lead', 'Printer cable USB A to B 2m', '4.00', { category: 'Cables' }),
    offer('c-1', 'USB C Cable 1m braided', '3.49'),
    offer('c-2', 'USB-C to USB-C Cable 2m 100W', '8.00'),
    offer('hub', 'USB-C Hub 7 in 1', '1.00'),
    offer('tidy', 'USB C Cable Organizer', '1.50'),
    ...Array.from({ length: 130 }, (_, at) =>
      offer(`uphone-${at}`, `Orbita uPhone ${11 + (at % 5)} ${64 + (at % 3) * 64}GB`, `${900 - at}.00`, {
        source: `shop_${at % 7}`,
      }),
    ),
    ...Array.from({ length: 9 }, (_, at) =>
      offer(`case-${at}`, `uPhone ${11 + at} Clear Case`, `${7 + at}.00`),
    ),
    offer('glass', 'Tempered glass uPhone 13', '3.00'),
  ]);

  for (const [q, ...skus] of [
    ['laptop', 'tarnix', '255', 'rono'],
    ['notebook', 'tarnix', '255', 'rono'],
    ['a5 notebook', 'paper'],
    ['kettle', 'rk17', 'hobson', 'lumo'],
    ['wasserkocher', 'koch', 'koch-2'],
    ['wasserkocher delmora', 'koch', 'koch-2'],
    ['aspirateur', 'aspi-2', 'aspi'],
    ['printer', 'jet', 'laser'],
    ['usb c cable', 'c-1', 'c-2'],
    ['uphone', 'uphone-129', 'uphone-128'],
  ] as const)
    it(`are the same sorted by price and for the best price: ${q}`, async () => {
      const { items } = await api.ok(
        `/v1/search?sort=price_asc&limit=${skus.length}&q=${encodeURIComponent(q)}`,
      );
      assert.deepEqual(
        items.map(({ sku }: { sku: string }) => sku),
        skus,
      );
      const best = await api.ok(`/v1/products/best-price?q=${encodeURIComponent(q)}`);
      assert.equal(best.sku, skus[0]);
    });
});

describe('the best price of a kind', () => {
  // There are more cheaper paper notebooks than listings that the cheapest ones are chosen among.
  const api = useApi([
    ...Array.from({ length: 70 }, (_, n) =>
      offer(`paper-${n}`, `Inkwell Hardcover Notebook A5 ruled ${20 + n} pages`, `${5 + n}.00`),
    ),
    ...Array.from({ length: 70 }, (_, n) =>
      offer(`laptop-${n}`, `Vortalis Quarry ${n + 2} Laptop 16GB RAM 512GB SSD`, `${900 - n}.00`),
    ),
  ]);

  it('is the cheapest of its listings, also if many others with its words are cheaper', async () => {
    const { status, body } = await api.get('/v1/products/best-price?q=laptop');
    assert.deepEqual([status, body.sku], [200, 'laptop-69']);
  });
});

describe('the best price of a German noun', () => {
  const api = useApi([
    offer('laser', 'Veltra Laserdrucker HL-2350', '139.00'),
    offer('jet', 'Tintenstrahldrucker Orvane M110 grau', '99.00'),
    offer('ink', 'Druckerpatrone Veltra 305 schwarz', '12.00'),
    offer('ink-for', 'Patrone für Tintenstrahldrucker Orvane', '22.00'),
    offer('hard', 'Hartschalenkoffer Rolan M, mit Kofferanhänger', '89.00'),
    offer('trip', 'Tarnix Reisekoffer 68 cm', '129.00'),
    offer('tag', 'Kofferanhänger Leder braun', '5.00'),
    offer('tag-2', 'Reisekoffer Anhänger rot', '3.00'),
    offer('tag-3', 'Koffer-Anhänger Leder schwarz', '4.00'),
    offer('scale', 'Kofferwaage digital', '9.00'),
    offer('koch', 'Delmora Wasserkocher 1,7 l', '39.00'),
    offer('lime', 'Kalkfilter für Wasserkocher', '8.00'),
    offer('run', 'Strivo Damenlaufschuhe Gel Tempo', '110.00'),
    offer('sole', 'Einlegesohlen für Laufschuhe', '8.00'),
    offer('raps', 'Rapsöl nativ 1 l', '6.00'),
    offer('shade', 'Lampenschirm Tischlampe beige', '11.00'),
    offer('bike', 'Kinderfahrrad 16 Zoll', '120.00'),
    offer('helmet', 'Fahrradhelm Kinderfahrrad blau', '20.00'),
    offer('rack', 'Bücherregal mit Messer', '50.00'),
    offer('knife', 'Taschenmesser Pilo rot', '60.00'),
  ]);

  for (const [q, sku] of Object.entries({
    drucker: 'jet',
    'veltra drucker': 'laser',
    koffer: 'hard',
    kocher: 'koch',
    laufschuhe: 'run',
    schuh: 'run',
    öl: 'raps',
    fahrräder: 'bike',
    messer: 'knife',
    lampe: null,
    waage: 'scale',
  }))
    it(`is that of a compound, and not of what goes with it: ${q}`, async () => {
      const { status, body } = await api.get(`/v1/products/best-price?q=${encodeURIComponent(q)}`);
      assert.deepEqual([status, body.sku ?? null], [sku === null ? 404 : 200, sku]);
    });
});
