// Chaos too (oracles, 10 min): npm test mutates one feed of each kind, npm run test:chaos five hundred feeds.
import path from 'node:path';
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { inputOf } from '../../scripts/loading/input.js';
import { loadAllFeeds } from '../../scripts/loading/load-all-feeds.js';
import { DEFAULTS, optionsOf } from '../../scripts/loading/options.js';
import { withEngine } from '../../scripts/shared/engine.js';
import { CommandError, StoppedError } from '../../scripts/shared/exit.js';
import { ensureCatalogue, untilSearchable } from '../../src/engine/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { toUnits } from '../../src/listing/price.js';
import { median } from '../../src/text/statistics.js';
import { CURRENCY, GENERATED, generatedFeed, SHOP_URL } from '../feeds/map/generated-feeds.js';
import { mutated } from '../feeds/map/mutated-feeds.js';
import { isChaos, oracle } from '../support/chaos.js';
import { testCatalogue } from '../support/test-catalogue.js';

const ROUNDS = isChaos ? Math.ceil(500 / GENERATED.length) : 1;
const RECORDS = 30;
const MAX_CLEARED = 20;
const MAX_VANISHED = 30;
const MAX_PRICE_CHANGE = 50;

const catalogue = testCatalogue('mutated-feeds');
const { es, alias, env, file } = catalogue;

const OUTCOMES = ['loaded', 'refused', 'failed'] as const;

const FIELDS = ['price', 'currency', 'is_available', 'buy_url', 'image_url', 'brand', 'category'] as const;

async function listingsOf(source: string): Promise<Map<string, StoredListing>> {
  await es.indices.refresh({ index: alias });
  const query = { term: { source } };
  const { hits } = await es.search<StoredListing>({ index: alias, size: 1_000, query, sort: 'id' });
  return new Map(hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [[_source.sku, _source]])));
}

/** Checks by brute force that a load stayed within its guards. */
function checkWithinGuards(
  before: ReadonlyMap<string, StoredListing>,
  after: ReadonlyMap<string, StoredListing>,
  done: string,
): void {
  const pairs = [...before.values()].map((old) => [old, after.get(old.sku) ?? old] as const);
  const share = (part: number, whole: number) => (100 * part) / Math.max(whole, 1);
  for (const field of FIELDS) {
    const had = pairs.filter(([old]) =>
      field === 'is_available' ? old[field] === true : old[field] !== null,
    );
    const cleared = had.filter(([, now]) => now[field] === null).length;
    if (cleared >= 3) assert.isAtMost(share(cleared, had.length), MAX_CLEARED, `${field} after: ${done}`);
  }
  const available = pairs.filter(([old]) => old.is_available !== false);
  // An availability that the feed states is no guess of the load.
  const vanished = available.filter(
    ([old, now]) => now.is_available === false && now.updated_at !== old.updated_at,
  );
  const unseen = vanished.filter(([old, now]) => now.internal.observed_at === old.internal.observed_at);
  assert.isAtMost(share(unseen.length, available.length), MAX_VANISHED, `vanished after: ${done}`);
  const priced = pairs.flatMap(([old, now]) =>
    old.price === null || now.price === null ? [] : [[toUnits(old.price), toUnits(now.price)] as const],
  );
  if (priced.length < 3) return;
  const change = median(priced.map(([was, is]) => Math.log(is / was)));
  assert.isAtMost(100 * (Math.exp(Math.abs(change)) - 1), MAX_PRICE_CHANGE + 0.01, `prices after: ${done}`);
}

describe('loads of feeds that were mutated since the last load', () => {
  before(() => ensureCatalogue(es, catalogue.prefix).then(() => untilSearchable(es, catalogue.prefix)));
  after(catalogue.remove);

  const counts = { loaded: 0, refused: 0, failed: 0 };
  after(() => {
    if (isChaos) for (const outcome of OUTCOMES) assert.isAbove(counts[outcome], 20, outcome);
  });

  for (const [nth, name] of GENERATED.entries())
    it(`${name}: clear and move no field beyond its guard, or are refused before they write`, async () => {
      const { random } = oracle(20_261_129 + nth, 1);
      for (let round = 0; round < ROUNDS; round += 1) {
        const source = `shop_${nth}_${round}`;
        const { format, text } = generatedFeed(name, random, RECORDS);
        const { bytes, done } = mutated({ text, format }, random);
        const load = (content: Buffer, isStream: boolean, more: Partial<typeof DEFAULTS>) =>
          withEngine({ ...process.env, ...env }, (engine) => {
            const feed = isStream ? '-' : file(`${source}.feed`, content);
            const values = {
              ...DEFAULTS,
              as: format,
              source,
              currency: CURRENCY,
              shopUrl: SHOP_URL,
              ...more,
            };
            const stream = () => Readable.from([]);
            const discarded = { write: () => true, isTTY: false } as never;
            const io = {
              stdin: stream(),
              out: discarded,
              err: discarded,
              signal: new AbortController().signal,
            };
            return loadAllFeeds([inputOf(feed, Readable.from([content]), { allowPrivate: false })], {
              engine,
              options: optionsOf([path.basename(feed)], { ...values, rejects: 'none' }),
              io,
              now: () => new Date(),
              run: source,
              report: { loaded: () => undefined, completed: () => undefined },
            });
          });
        await load(Buffer.from(text), false, {});
        const before = await listingsOf(source);
        const guards = { complete: [source], maxPriceChange: MAX_PRICE_CHANGE };
        let outcome: (typeof OUTCOMES)[number] = 'loaded';
        let mayWrite = true;
        try {
          const { completed } = await load(bytes, random() < 0.5, guards);
          if (completed.some(({ stoppedBy }) => stoppedBy !== null)) outcome = 'refused';
        } catch (error) {
          if (!(error instanceof StoppedError || error instanceof CommandError)) throw error;
          outcome = error instanceof StoppedError ? 'refused' : 'failed';
          mayWrite = outcome === 'failed';
        }
        const after = await listingsOf(source);
        counts[outcome] += 1;
        if (mayWrite) checkWithinGuards(before, after, `${done} (${outcome})`);
        else assert.deepEqual([...after], [...before], done);
      }
    });
});
