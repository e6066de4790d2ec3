import { mean } from '../../src/text/statistics.js';
import { learnMakers } from '../../src/matching/learning/learn-makers.js';
import type { MakerListing } from '../../src/matching/learning/maker-evidence.js';
import { inferMaker, isSameMaker, makerWords } from '../../src/matching/makers.js';
import { readNamed } from './ndjson.js';
import type { Findings } from './report.js';
import { bootstrap } from './statistics.js';

const WORST = 30;

async function* readListings(file: string): AsyncGenerator<MakerListing> {
  for await (const { name, brand, source } of readNamed<MakerListing>(file))
    yield { name, brand: typeof brand === 'string' ? brand : null, source: source ?? file };
}

/**
 * Measures inferred makers against the stated brands of a feed, which are hidden: makers are learned from the brands of the
 * other feeds, and from how the names of all feeds begin.
 * @param judged the NDJSON file whose brands are hidden.
 * @param learned the NDJSON files to learn from.
 */
export async function evaluateBrands(judged: string, learned: readonly string[]): Promise<Findings> {
  const known: MakerListing[] = [];
  for (const file of learned) for await (const listing of readListings(file)) known.push(listing);
  const hidden: MakerListing[] = [];
  for await (const listing of readListings(judged)) hidden.push(listing);
  const dictionary = learnMakers([...known, ...hidden.map((listing) => ({ ...listing, brand: null }))]);
  const cases = hidden.flatMap(({ name, brand }) => {
    const stated = brand === null ? '' : makerWords(brand).join(' ');
    const found = inferMaker(name, dictionary);
    const isRight = found !== null && isSameMaker(makerWords(found.name).join(' '), stated);
    return stated === '' ? [] : [{ name, brand, found, isRight }];
  });
  const inferred = cases.filter(({ found }) => found !== null);
  const share = (some: readonly { isRight: boolean }[]) => mean(some.map(({ isRight }) => Number(isRight)));
  const wrong = new Map<string, { listings: number; name: string }>();
  for (const { name, brand, found, isRight } of cases) {
    if (isRight) continue;
    const pair = `${brand ?? ''}, inferred ${found?.name ?? 'none'}`;
    wrong.set(pair, { name, listings: (wrong.get(pair)?.listings ?? 0) + 1 });
  }
  const makers = new Map<string, number>();
  for (const { name } of hidden) {
    const maker = inferMaker(name, dictionary)?.name ?? 'none';
    makers.set(maker, (makers.get(maker) ?? 0) + 1);
  }
  return {
    figures: [bootstrap('precision', inferred, share), bootstrap('recall', cases, share)].filter(
      ({ cases: number }) => number > 0,
    ),
    tables: [
      {
        title: 'Most frequent inferred makers',
        header: ['maker', 'listings'],
        rows: [...makers].sort((a, b) => b[1] - a[1]).slice(0, WORST),
      },
    ],
    worst: [...wrong]
      .sort((a, b) => b[1].listings - a[1].listings)
      .slice(0, WORST)
      .map(([pair, { listings, name }]) => `${listings} × ${pair}: ${name}`),
  };
}
