/** npm run evaluate: measures the quality of a running service with human judgements; see --help. */
import { apiOf, type EvaluationApi, SERVICE } from './evaluation/api.js';
import { evaluateBestPrice, queriesOfPairs, queriesOfTruth } from './evaluation/best-price.js';
import { readPairs, readSources } from './evaluation/judgements.js';
import { evaluateGroupMakers, evaluateGroups } from './evaluation/groups.js';
import { writeTasks } from './evaluation/make-tasks.js';
import { evaluateMatch } from './evaluation/match.js';
import { evaluatePairs } from './evaluation/pairs.js';
import { evaluateModel } from './evaluation/model.js';
import { formatReport, readReport, writeReport, type Findings, type Report } from './evaluation/report.js';
import { evaluateSharedNames } from './evaluation/shared-names.js';
import { evaluateSearch } from './evaluation/search.js';
import { evaluateTasks } from './evaluation/tasks.js';
import { evaluateUnitPrices } from './evaluation/unit-prices.js';
import { commands, type Io, subcommand } from '../scripts/shared/command.js';
import { CommandError, UsageError } from '../scripts/shared/exit.js';
import {
  atLeastOne,
  flag,
  needed,
  type Options,
  preset,
  several,
  text,
  type Values,
  wholeNumber,
} from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';

const REPORT = {
  json: text('FILE', 'write the report to FILE as JSON'),
  compare: text('FILE', 'display the figures of an earlier report, which --json wrote, next to the new ones'),
};
const SAMPLE_RANGE = { min: 1, max: 1_000_000 };
const PAIR_COLUMNS = 'CSV with the columns a_source,a_sku,b_source,b_sku';
const gold = text('FILE', `${PAIR_COLUMNS}: all pairs of listings that are the same product`);
const labelledPairs = text(
  'FILE',
  `${PAIR_COLUMNS},label: labelled pairs, 1 for the same product and 0 for different products`,
);
const sources = text(
  'FILE',
  'CSV with the columns a_source,a_sku: all judged listings, including those without a match. By default the listings ' +
    'of the gold file are used, which overestimates precision',
);
const someSources = several(text('SOURCE', 'use only listings of this source; may be given several times'));

const readOptional = async <T>(file: string | undefined, read: (file: string) => Promise<T>, none: T) =>
  file === undefined ? none : read(file);

export const main = commands({
  name: 'evaluate',
  about:
    'Measures the quality of a running service. Listings in files of judgements are identified by source and ' +
    'sku and must be in the catalogue. tasks, names and best-price also measure a naive baseline: the cheapest result ' +
    'of a search whose name contains every word of the query.',
  commands: {
    search: ofService('search', {
      about: 'measure NDCG@10 of searches',
      options: {
        judgements: atLeastOne(
          text(
            'FILE',
            'CSV with the columns query,source,sku,rating. A rating is a number from 0 to 5; the lowest value, 0 or 1, ' +
              'means not relevant. A listing without a row is unjudged. May be given several times',
          ),
        ),
      },
      run: (api, { judgements }) => evaluateSearch(api, judgements),
    }),
    match: ofService('match', {
      about:
        'measure precision, recall and F1 of compare, over the first matches of listings and over labelled pairs, and calibration',
      options: { gold: needed(gold), sources, pairs: labelledPairs },
      run: async (api, options) =>
        evaluateMatch(api, {
          gold: await readPairs(options.gold),
          sources: await readOptional(options.sources, readSources, null),
          pairs: await readOptional(options.pairs, readPairs, []),
        }),
    }),
    groups: ofService('groups', {
      about:
        'compare the groups that npm run link formed with the true products: pairwise and B-cubed precision, recall and ' +
        'F1. Without --gold, measure the share of all groups that mix makers',
      options: {
        gold: text(
          'FILE',
          `${PAIR_COLUMNS}: all pairs of listings that are the same product; or, with the column label, some pairs ` +
            'labelled 1 for the same product and 0 for different products',
        ),
        sources,
        draw: preset(
          wholeNumber('without --gold: the number of groups with different names to print', SAMPLE_RANGE),
          30,
        ),
      },
      run: async (api, options) =>
        options.gold === undefined
          ? evaluateGroupMakers(api, options.draw)
          : evaluateGroups(api, {
              gold: await readPairs(options.gold),
              sources: await readOptional(options.sources, readSources, null),
            }),
    }),
    pairs: ofService('pairs', {
      about:
        'measure precision, recall, F1 and calibration of same_product, which the diff with explain=true returns, over ' +
        'labelled pairs',
      options: {
        pairs: needed(labelledPairs),
        sample: preset(wholeNumber('the maximum number of pairs, drawn at random', SAMPLE_RANGE), 2000),
      },
      run: async (api, options) => evaluatePairs(api, await readPairs(options.pairs), options.sample),
    }),
    model: ofService('model', {
      about:
        'measure the share of listings that a search for their model number (metadata.model) finds, in four notations',
      options: {
        source: text('SOURCE', 'use only listings of this source; by default all'),
        sample: preset(wholeNumber('the number of listings to search for', SAMPLE_RANGE), 200),
      },
      run: (api, options) => evaluateModel(api, options),
    }),
    'best-price': ofService('best-price', {
      about:
        'measure how often the best price is the cheapest offer of the requested product: by both names of each pair of ' +
        '--gold; or for the sample catalogue of --truth by brand and model, by 400 full titles, and by the names of 40 ' +
        'well-known products that it does not contain',
      options: {
        gold: text('FILE', `${gold.help}. Pairs without two prices in the same currency are ignored`),
        truth: text('FILE', 'the file that npm run sample -- --truth FILE wrote'),
      },
      run: async (api, { gold: pairs, truth }) => {
        if ((pairs === undefined) === (truth === undefined))
          throw new UsageError('best-price needs either --gold FILE or --truth FILE');
        const queries =
          truth === undefined
            ? await queriesOfPairs(api, await readPairs(pairs ?? ''))
            : await queriesOfTruth(api, truth);
        return evaluateBestPrice(api, queries);
      },
    }),
    names: ofService('names', {
      about:
        'request the best price of names that two or more listings have: the answer should have the same name, or be the ' +
        'same product by --gold',
      options: {
        source: someSources,
        sample: preset(wholeNumber('the number of names to request', SAMPLE_RANGE), 150),
        heads: flag('shorten names to the part before their first comma, dash or bracket'),
        gold,
      },
      run: async (api, options) =>
        evaluateSharedNames(api, {
          sources: options.source,
          sample: options.sample,
          heads: options.heads,
          gold: await readOptional(options.gold, readPairs, []),
        }),
    }),
    tasks: ofService('tasks', {
      about:
        'perform shopping tasks with the best price, and measure how many answers are complete and right',
      options: {
        tasks: needed(
          text(
            'FILE',
            'CSV with the columns task,family,phrases,answer: phrases are the requested texts, separated by |; answer is ' +
              'all correct offers as source:sku, separated by blanks. The families specific and add_to_cart request all ' +
              'offers of a product, cheapest and end_to_end the cheapest one',
          ),
        ),
      },
      run: (api, options) => evaluateTasks(api, options.tasks),
    }),
    'make-tasks': subcommand({
      about:
        'make shopping tasks for tasks --tasks from the names and prices of the catalogue. Half of the products are held ' +
        'back in a second file, for a final measurement that has not influenced any decision',
      options: {
        ...SERVICE,
        source: someSources,
        gold: text('FILE', `${gold.help}. By default listings with the same name are the same product`),
        sample: preset(wholeNumber('the maximum number of tasks in each file', SAMPLE_RANGE), 200),
        out: needed(text('FILE', 'write the tasks to FILE')),
        heldBack: needed(text('FILE', 'write the tasks of the products that are held back to FILE')),
      },
      run: async ({ options }, env, { out }) => {
        const { source, gold: pairs, sample, out: open, heldBack } = options;
        out.write(
          await writeTasks(
            apiOf(options, env),
            { out: open, heldBack },
            { sources: source, gold: pairs, sample },
          ),
        );
      },
    }),
    'unit-price': subcommand({
      about:
        'measure the quantities that unit prices are computed from, without a service: precision among the listings that ' +
        'have one, and recall among the listings with a true quantity',
      options: {
        ...REPORT,
        listings: atLeastOne(
          text('FILE', 'an NDJSON file of listings, which may be gzipped. May be given several times'),
        ),
        truth: text(
          'FILE',
          'CSV with the columns source,sku,quantity,unit, which npm run sample -- --truth writes. The unit is g, kg, ml, l, ' +
            'mm, cm, m, stk, unit or piece; a listing without a quantity must have no unit price',
        ),
        draw: preset(
          wholeNumber('the number of random unit prices to print', { min: 0, max: SAMPLE_RANGE.max }),
          0,
        ),
      },
      run: ({ options }, _env, io) =>
        report('unit-price', options, io, () =>
          evaluateUnitPrices(options.listings, options.truth ?? null, options.draw),
        ),
    }),
  },
  notes: 'Confidence intervals are 95 % intervals by resampling the cases 1,000 times with a fixed seed.',
  exits: { done: 'measured' },
});

function ofService<O extends Options>(
  name: string,
  evaluation: {
    about: string;
    options: O;
    run: (api: EvaluationApi, options: Values<O>) => Promise<Findings>;
  },
) {
  return subcommand({
    about: evaluation.about,
    options: { ...SERVICE, ...REPORT, ...evaluation.options },
    run: ({ options }, env, io) => {
      const api = apiOf(options, env);
      return report(name, options, io, () => evaluation.run(api, options));
    },
  });
}

async function report(
  command: string,
  { json, compare }: Values<typeof REPORT>,
  { out }: Io,
  run: () => Promise<Findings>,
): Promise<void> {
  const earlier = compare === undefined ? null : await readReport(compare);
  if (earlier !== null && earlier.command !== command) {
    throw new CommandError(`${compare} is a report of ${earlier.command}, not of ${command}`);
  }
  const found = await run();
  if (found.figures.every(({ cases }) => cases === 0)) {
    throw new CommandError('none of the judged listings is in the catalogue');
  }
  const written: Report = { command, at: new Date().toISOString(), ...found };
  out.write(formatReport(written, earlier));
  if (json !== undefined) await writeReport(json, written);
}

await start(import.meta.url, main);
