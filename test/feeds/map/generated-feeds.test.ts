// Chaos too (oracles): npm test reads a tenth of the products.
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { readRecords } from '../../../src/feeds/map/records.js';
import { checkItem } from '../../../src/usecases/ingest/check.js';
import { optionsOf } from '../../../scripts/loading/options.js';
import { oracle } from '../../support/chaos.js';
import {
  comparable,
  CURRENCY,
  type Expected,
  GENERATED,
  generatedFeed,
  NOW,
  SHOP_URL,
} from './generated-feeds.js';

describe('feeds that were written from known products', () => {
  for (const name of GENERATED) {
    it(`${name}: no field is lost or misread`, async () => {
      const { random, rounds } = oracle(20_261_125, 300);
      const { format, text, expected } = generatedFeed(name, random, rounds);
      const values = { as: format, source: 'shop', currency: CURRENCY, shopUrl: SHOP_URL, timezone: 'UTC' };
      const { onBad, ...options } = optionsOf(['-'], { ...DEFAULTS, ...values });
      const found: Expected[] = [];
      for await (const item of readRecords(Readable.from(encoded(text, random)), options, NOW)) {
        const checked = checkItem(item, [], { onBad }, NOW);
        if ('reasons' in checked) assert.fail(`line ${item.line}: ${checked.reasons.join('; ')}`);
        assert.deepEqual(
          [...(item.dropped ?? []), ...checked.dropped].filter((field) => field !== 'price'),
          [],
        );
        found.push(comparable(checked.record));
      }
      for (const [at, record] of expected.entries())
        assert.deepEqual(found[at], comparable(record), `record ${at}`);
      assert.lengthOf(found, expected.length);
    });
  }
});

/** The values of the options that `npm run ingest` has by default. */
const DEFAULTS = {
  complete: [],
  allowMissing: [],
  dryRun: false,
  giveUpAfter: 600,
  maxVanished: 30,
} as unknown as Parameters<typeof optionsOf>[1];

/** Encodes a feed in one of the encodings that are detected, in chunks of random sizes. */
function encoded(text: string, random: () => number): Buffer[] {
  const kinds = [Buffer.from(text), Buffer.from(`\ufeff${text}`), Buffer.from(`\ufeff${text}`, 'utf16le')];
  const bytes = kinds[Math.floor(random() * kinds.length)] ?? Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() * 20_000);
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}
