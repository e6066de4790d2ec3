// Prints what a process with MARKETS reads, as JSON.
import { interpret } from '../../src/engine/queries/interpret/interpret.js';
import { COLUMNS } from '../../src/feeds/map/column-names.js';
import { namedQuantity } from '../../src/listing/named-quantity.js';
import { readShownPrice } from '../../src/listing/shown-price.js';
import { productsIndex } from '../../src/engine/indices.js';
import { conditionInName } from '../../src/naming/condition.js';
import { kindsOf } from '../../src/naming/kinds.js';
import { isIn } from '../../src/naming/lexicon.js';
import { readName } from '../../src/naming/read-name.js';
import { partsIn, wordForms } from '../../src/naming/word-forms.js';

const currency = (text: string) => {
  const price = readShownPrice(text, { decimal: 'either' });
  return 'reason' in price ? null : price.currency;
};
const hasFilter = (text: string) => interpret(text, { sources: [] }).read.length > 0;
const { analysis } = productsIndex.settings.index as { analysis: { filter: unknown } };
const words = {
  hasFormOfWeingläser: wordForms('Weingläser').includes('weinglas'),
  hasPartOfWasserkocher: partsIn(['Wasserkocher']).includes('kocher'),
  readsGebraucht: conditionInName('Orbit V40 Lautsprecher, gebraucht') !== null,
  readsPouch: kindsOf('耳机收纳包便携', null).includes('收纳包'),
  readsColumnPreis: COLUMNS.some(([target, names]) => target === 'price' && names.includes('preis')),
  readsRollen:
    namedQuantity({ name: 'Papier Orlo, 8 Rollen', category: null, category_path: [], metadata: {} }) !==
    null,
  hasChineseSynonyms: JSON.stringify(analysis).includes('手机, 手機 =>'),
};

/** English names and searches, with words that are others in German, French, Spanish, Portuguese, Italian or Malay. */
const ENGLISH = [
  'Tarn.com 3 ft Coax Monitor Cable - M/M',
  'Kestrel OM D E M10 camera in silver with 14 42mm',
  'Rono case w/ E-ATX support, glass panel and 3 fans',
  'Blaze 34" 3-Burner Professional Grill Cart',
  'Die cast car model 1:18 Tavi',
  'Gift card holder Mila, not for coins',
  'Ab wheel roller Dorn with mat',
  'The Not Company oat milk 1 l',
  'Rat trap Brook 2 pack, for art and fun',
  'Used car battery charger Orbit 12 V',
  'Handy vacuum Orbit LA 60 A for pets',
  'Kettle Rono RK17 1.7 l, refurbished, in stock',
  'Per Una dress size 12 black',
  'Second hand watch, stainless steel, 42 mm',
  'Bare metal tool kit, 12 pcs',
];
const english = ENGLISH.map((text) => [
  readName(text).spans.map(({ from, to, role, scope }) => [text.slice(from, to), role, scope]),
  kindsOf(text, null),
  conditionInName(text),
  interpret(text, { sources: [] }),
  partsIn([text]),
]);

process.stdout.write(
  JSON.stringify({
    english,
    words: Object.values(words),
    read: [
      ['£5', '5 บาท', '5 Kč', '5 zł', '5 Franken'].map(currency),
      ['kettle under $50', 'kettle in stock', 'Kocher unter 50 €', 'กา ไม่เกิน 500 บาท'].map(hasFilter),
      ['kettle', 'drucker', 'kasut', 'aspirateur'].map((word) => isIn('kind', word)),
    ],
  }),
);
