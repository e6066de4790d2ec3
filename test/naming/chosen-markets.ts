// Prints what a process with MARKETS reads, as JSON.
import { interpret } from '../../src/engine/queries/interpret/interpret.js';
import { readShownPrice } from '../../src/listing/shown-price.js';
import { isIn } from '../../src/naming/lexicon.js';

const currency = (text: string) => {
  const price = readShownPrice(text, { decimal: 'either' });
  return 'reason' in price ? null : price.currency;
};
const hasFilter = (text: string) => interpret(text, { sources: [] }).read.length > 0;
process.stdout.write(
  JSON.stringify([
    ['£5', '5 บาท', '5 Kč', '5 zł', '5 Franken'].map(currency),
    ['kettle under $50', 'kettle in stock', 'Kocher unter 50 €', 'กา ไม่เกิน 500 บาท'].map(hasFilter),
    ['kettle', 'drucker', 'kasut', 'aspirateur'].map((word) => isIn('kind', word)),
  ]),
);
