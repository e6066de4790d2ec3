import { assert } from 'chai';
import { record } from '../support/listings.js';
import { type Catalogue, openCatalogue } from './catalogue.js';

/** A test case with its own listings. `found` is the expected result, the best match first. */
interface Contract {
  /** For each SKU, the name of the listing, or the fields of its record. */
  listings: Record<string, string | Record<string, unknown>>;
  /** For each query, the SKUs in order. SKUs that may tie are in one inner list. */
  found: Record<string, (string | string[])[]>;
}

function contract(title: string, { listings, found }: Contract): void {
  describe(title, () => {
    let catalogue: Catalogue;
    before(async () => {
      const records = Object.entries(listings).map(([sku, fields]) =>
        record({ sku, ...(typeof fields === 'string' ? { name: fields } : fields) }),
      );
      catalogue = await openCatalogue(records);
    });
    after(() => catalogue.remove());
    for (const [q, expected] of Object.entries(found)) {
      it(`${JSON.stringify(q)} → ${JSON.stringify(expected)}`, async () => {
        const { skus, total } = await catalogue.search(q);
        assert.deepEqual(inGroups(skus, expected), expected.map(sorted));
        assert.equal(total, skus.length);
      });
    }
  });
}

/** Splits the result into groups as long as the expected ones; the remaining listings are a further group. */
function inGroups(skus: string[], expected: (string | string[])[]): string[][] {
  const rest = [...skus];
  const groups = expected.map((group) => rest.splice(0, [group].flat().length).sort());
  return rest.length > 0 ? [...groups, rest] : groups;
}

const sorted = (group: string | string[]): string[] => [group].flat().sort();

describe('ranking on a real Elasticsearch', () => {
  const headphones = {
    xm5: 'Sony WH-1000XM5 Wireless Headphones Black',
    xm4: 'Sony WH-1000XM4 Wireless Headphones Black',
    case: 'Hard Case for Headphones',
  };
  contract('Model numbers however they are spelled', {
    listings: {
      ...headphones,
      spaced: 'Auralis AX 900 M2 speaker',
      joined: 'Auralis ax900m3 speaker',
      parts: 'Auralis SM-G991B/DS phone',
    },
    found: {
      'WH-1000XM5': ['xm5', 'xm4'],
      wh1000xm5: ['xm5'],
      'WH 1000 XM5': ['xm5', 'xm4'],
      'wh 1000xm5': ['xm5', 'xm4'],
      ＷＨ１０００ＸＭ５: ['xm5'],
      smg991bds: ['parts'],
      'qqqzzz g991b/ds': ['parts'],
      'auralis smg991bds': ['parts', ['spaced', 'joined']],
      ax900m2: ['spaced'],
      'AX-900M2': ['spaced'],
      'ax 900 m3': ['joined', 'spaced'],
      'AX-900-M3': ['joined', 'spaced'],
    },
  });

  contract('XM4 is not XM5: no typo in a word with a digit is forgiven', {
    listings: headphones,
    found: {
      wh1000xm4: ['xm4'],
      wh1000xm3: [],
      'sony wh-1000xm4': ['xm4', 'xm5'],
      'sony wh1000xm5 headphones': ['xm5', 'xm4', 'case'],
    },
  });

  contract('Units with and without a space', {
    listings: {
      tb1: 'Portable SSD 1TB',
      tb2: 'Portable SSD 2 TB',
      ml: { name: 'Shampoo', description: 'Bottle of 500 ml.' },
      litre: 'Shampoo 1 l',
      inch: 'Phone with 6.1" screen',
      inches: 'Phone with 6.7 inch screen',
    },
    found: {
      '1 tb ssd': ['tb1', 'tb2'],
      '2TB ssd': ['tb2', 'tb1'],
      '500ml': ['ml'],
      '1L shampoo': ['litre', 'ml'],
      '6.1 inch': ['inch'],
      '6.7in': ['inches'],
    },
  });

  contract('A typo in a word of letters is forgiven', {
    listings: {
      head: { name: 'Auralis headphones', brand: 'Auralis' },
      kettle: { name: 'Electric kettles', category: 'Kitchen appliances' },
      golf: { name: 'Umbrella', description: 'For golf and garden, by Handel.' },
      gold: 'Gold ring',
      handle: 'Door handle',
      ship: 'Model ship',
    },
    found: {
      hedphones: ['head'],
      headhpones: ['head'],
      jeadphones: ['head'],
      'aurlais headphones': ['head'],
      'electric ketle': ['kettle'],
      appliancs: ['kettle'],
      hedphnes: ['head'],
      // The typo is not corrected, because the word is too long for a correction of two letters.
      headfoones: ['head'],
      // The typed words are not corrected, because a listing has all of them.
      'golf handel': ['golf'],
      // These words are not corrected, because they are too short, or are words themselves.
      'golf garden': ['golf'],
      shi: [],
      golf: ['golf'],
      ketxtle: [],
    },
  });

  contract('A word is read as one that sounds the same, not as another word', {
    listings: {
      hinge: 'Door hinge',
      vacuum: 'Canister vacuum',
      ring: 'Notched ring',
      hitch: 'Trailer hitch',
      type: 'Type label',
      tire: 'Bike tire lever',
      niche: 'Shower niche',
      watches: 'Watches',
      flashlight: 'Led flashlight',
      porch: 'Porch led',
    },
    found: {
      // A synonym.
      'led torch zzzz': ['flashlight', 'porch'],
      hindge: ['hinge'],
      vacume: ['vacuum'],
      'nitched ring': ['ring'],
      tyre: ['tire'],
      'tyqe label': ['type'],
      // The catalogue contains only the singular of the word.
      '9 inches niche': ['niche'],
      wachtes: ['watches'],
    },
  });

  contract('Measures with and without blanks and units', {
    listings: {
      units: 'Filter 14 in. x 20 in. x 1 in.',
      blanks: 'Filter 14 x 20 x 2',
      joined: 'Filter 14x20',
      other: 'Filter 14 in. of 20',
    },
    found: {
      '14x20': [['units', 'blanks', 'joined']],
      '14X20x1': ['units'],
      '14 x 20': [['blanks', 'joined', 'units'], 'other'],
      '14x20 filter': [['units', 'blanks', 'joined'], 'other'],
    },
  });

  contract('The thing before what goes with it', {
    listings: {
      phone: 'Halcyra Tarn 9 Pro 5G 128GB Black',
      case: 'Tarn 9 Tarn 9 Pro Tarn Case',
      mount: 'TV Bracket TV Wall Mount',
      tv: 'Glimmark Smart TV 55 inch with remote for TV',
      laptop: 'Corvanta Laptop 16 inch',
      paper: { name: 'Notebook A5 ruled notebook', category: 'Notebooks' },
      bag: 'Green tea bags, 100 sheets',
      camera: 'Camera Bag',
    },
    found: {
      tarn: ['phone', 'case'],
      'tarn 9': ['phone', 'case'],
      'tarn case': ['case', 'phone'],
      'tarn 9 case zzzzqq': ['case', 'phone'],
      tv: ['tv', 'mount'],
      'tv mount': ['mount', 'tv'],
      laptop: ['laptop', 'paper'],
      notebook: ['laptop', 'paper'],
      'ruled notebook': ['paper', 'laptop'],
      'camera bag': ['camera', 'bag'],
    },
  });

  contract('All words before some; words that match nothing sink nothing', {
    listings: {
      all: { name: 'Cordless drill', brand: 'Makita' },
      described: {
        name: 'Power tool',
        description: `A cordless drill. ${'Much is to be said of it. '.repeat(40)} By Makita.`,
      },
      two: 'Cordless drill drill cordless',
      one: 'Makita Makita',
      none: 'Garden hose',
    },
    found: {
      'makita cordless drill': ['all', 'described', 'two', 'one'],
      'makita qqqzzz': [['all', 'one'], 'described'],
      'qqqzzz xxyyzz': [],
    },
  });

  contract('An exact SKU, GTIN or model number comes first', {
    listings: {
      'SKU-77': 'Desk lamp',
      'ALPHA-BETA': 'Ceiling fan',
      letters: 'Alpha beta fan, alpha beta',
      gtin: { name: 'Floor lamp', gtin: '4006381333931' },
      model: { name: 'Wall lamp', metadata: { model: 'LX 20-B' } },
      text: 'LX20B SKU 77 lamp 4006381333931 LX 20-B lamp lx20b',
    },
    found: {
      'SKU-77': ['SKU-77', 'text'],
      sku77: ['SKU-77', 'text'],
      'alpha beta': ['ALPHA-BETA', 'letters'],
      'qqqzzz lx20b': ['model', 'text'],
      '4006381333931': ['gtin', 'text'],
      '04006381333931': ['gtin'],
      'LX20-B': ['model', 'text'],
      lx20b: ['model', 'text'],
      'lx 20 b': ['model', 'text'],
      'wall lamp lx20b': [['model'], 'text', ['SKU-77', 'gtin']],
    },
  });

  contract('Accents, case, stems, marks and entities', {
    listings: {
      creme: 'Crème brûlée torch, at the table',
      shoes: "Women's Running Shoes®",
      att: 'AT&amp;T prepaid SIM',
      tags: '<b>Bold</b> marker',
    },
    found: {
      BRULEE: ['creme'],
      crème: ['creme'],
      women: ['shoes'],
      'woman shoe': ['shoes'],
      'womens runs': ['shoes'],
      'at&t': ['att'],
      b: [],
      'AT&amp;T': ['att'],
      'bold markers': ['tags'],
    },
  });

  contract('Hyphens: one word or two', {
    listings: {
      hyphen: 'Wi-Fi router',
      one: 'WiFi router',
      two: 'Wi fi router',
      hifi: 'Hi-Fi router',
      bar: 'Cinema soundbar with subwoofer',
      sound: 'Sound card',
      plain: 'Router',
      shirt: 'T-shirt white',
      bank: 'Power bank',
    },
    found: {
      'wi-fi router': [['hyphen', 'one', 'two'], 'hifi', 'plain'],
      'wifi router': [
        ['hyphen', 'one', 'two'],
        ['hifi', 'plain'],
      ],
      'wi fi router': [['hyphen', 'one', 'two'], 'hifi', 'plain'],
      // Because of the further word, no listing has all words. Adjacent words are still found as one word,
      // and one word as two.
      'sound bar qqqzzz': ['bar', 'sound'],
      tshirt: ['shirt'],
      't shirt': ['shirt'],
      powerbank: ['bank'],
      'power-bank': ['bank'],
    },
  });

  contract('Chinese, mixed titles, Malay', {
    listings: {
      mixed: '索尼WH-1000XM5无线耳机',
      wired: '有线耳机',
      wine: '红酒 750ml',
      malay: 'Kasut sukan wanita',
    },
    found: {
      无线耳机: ['mixed', 'wired'],
      索尼: ['mixed'],
      酒: ['wine'],
      wh1000xm5: ['mixed'],
      '索尼 无线': ['mixed'],
      'kasut wanita': ['malay'],
    },
  });

  contract('Synonyms', {
    listings: {
      fridge: 'Two-door refrigerator',
      phone: 'Galaxy smartphone',
      mobile: 'Galaxy mobile phone',
      cooler: 'Daikin air conditioner',
    },
    found: {
      fridge: ['fridge'],
      handphone: [['phone', 'mobile']],
      'mobile phone': ['mobile', 'phone'],
      'daikin aircon': ['cooler'],
    },
  });

  contract('Attributes are searched, and the name counts most', {
    listings: {
      attribute: { name: 'Desk chair', metadata: { attributes: { material: 'Leather' } } },
      name: 'Leather chair',
      described: { name: 'Stool', description: 'Leather chair' },
    },
    found: {
      leather: ['name', ['attribute', 'described']],
      'leather chair': ['name', ['attribute', 'described']],
    },
  });
});
