import { evaluateBestPrice, queriesOfPairs } from '../evaluation/best-price.js';
import type { EvaluationApi } from '../evaluation/api.js';
import { evaluateGroups } from '../evaluation/groups.js';
import { readPairs, readSources } from '../evaluation/judgements.js';
import { evaluateMatch } from '../evaluation/match.js';
import { evaluatePairs } from '../evaluation/pairs.js';
import type { Findings } from '../evaluation/report.js';
import { evaluateSearch } from '../evaluation/search.js';
import { evaluateSharedNames } from '../evaluation/shared-names.js';
import { drawSample } from '../../src/text/statistics.js';
import { evaluateTasks } from '../evaluation/tasks.js';

/** Whether more or less of a figure is better. */
export type Better = 'more' | 'less';

/** A measure of the yardstick: its sets, the figures that are recorded for each, and how they are measured. */
interface Measure {
  sets: readonly string[];
  figures: Readonly<Record<string, Better>>;
  /** @param given `file`: the path of a file of the set; `sample`: the maximum number of cases, also in larger samples. */
  run(
    api: EvaluationApi,
    given: { set: string; file: (suffix: string) => string; sample: number },
  ): Promise<Findings>;
}

const SEED = 57;

/** The files of the sets whose judgements are stored compressed. */
const COMPRESSED = new Set(['crowdflower', 'home_depot', 'pricerunner', 'shopee', 'wdc_products_2022']);

/** Returns the path of a file of a set: `abt_buy_gold.csv`, or `pricerunner_gold.csv.gz`. */
export const fileOf = (folder: string, set: string, suffix: string): string =>
  `${folder}/${set}${suffix}${COMPRESSED.has(set) ? '.gz' : ''}`;

/** The measures in the order in which they are recorded. Those of groups need linked listings; the others are recorded before. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  // Only the source of the set is searched, which has the name of the set, because listings of others are not judged.
  search: {
    sets: ['icecat', 'crowdflower', 'home_depot'],
    figures: { 'NDCG@10, unjudged left out': 'more', 'queries that find nothing': 'less' },
    run: (api, { file, set, sample }) =>
      evaluateSearch(api, [file('_judgements.csv')], { sample, within: set }),
  },
  match: {
    sets: ['abt_buy', 'amazon_google', 'pricerunner', 'shopee'],
    figures: {
      'end-to-end precision': 'more',
      'end-to-end recall': 'more',
      'end-to-end F1': 'more',
      'expected calibration error': 'less',
    },
    run: async (api, { file, sample }) =>
      evaluateMatch(api, {
        gold: await readPairs(file('_gold.csv')),
        sources: drawSample(await readSources(file('_sources.csv')), sample, SEED),
        pairs: [],
      }),
  },
  pairs: {
    sets: ['abt_buy', 'amazon_google', 'wdc_products_2022'],
    figures: { precision: 'more', recall: 'more', F1: 'more', 'expected calibration error': 'less' },
    run: async (api, { file, sample }) => evaluatePairs(api, await readPairs(file('_pairs.csv')), sample),
  },
  'best-price': {
    sets: ['abt_buy', 'amazon_google'],
    figures: {
      'name of a pair: right and cheapest': 'more',
      'name of a pair: right': 'more',
      'name of a pair: another product': 'less',
    },
    run: async (api, { file, sample }) => {
      const queries = await queriesOfPairs(api, await readPairs(file('_gold.csv')));
      return evaluateBestPrice(api, drawSample(queries, sample, SEED));
    },
  },
  tasks: {
    sets: ['webmall'],
    figures: {
      'specific and cheapest: exactly the right offers': 'more',
      'specific and cheapest: a wrong offer': 'less',
      'any task: a wrong offer': 'less',
    },
    run: (api, { file }) => evaluateTasks(api, file('_tasks.csv')),
  },
  names: {
    sets: ['all'],
    figures: { right: 'more', 'another product': 'less' },
    run: (api, { sample }) => evaluateSharedNames(api, { sources: [], sample, gold: [], heads: false }),
  },
  groups: {
    sets: ['abt_buy', 'amazon_google', 'pricerunner', 'shopee'],
    figures: {
      'pairwise F1': 'more',
      'B-cubed precision': 'more',
      'B-cubed recall': 'more',
      'B-cubed F1': 'more',
    },
    run: async (api, { file }) =>
      evaluateGroups(api, {
        gold: await readPairs(file('_gold.csv')),
        sources: await readSources(file('_sources.csv')),
      }),
  },
  'labelled-groups': {
    sets: ['wdc_products_2022'],
    figures: {
      'pairwise precision, labelled pairs': 'more',
      'pairwise recall, labelled pairs': 'more',
      'pairwise F1, labelled pairs': 'more',
    },
    run: async (api, { file }) =>
      evaluateGroups(api, { gold: await readPairs(file('_pairs.csv')), sources: null }),
  },
};
