/**
 * npm run evaluate -- search | match | groups | model | best-price | tasks | speed: measures quality or
 * speed with files of human judgements; see --help.
 */
import { type EvaluationApi, openApi } from './evaluation/api.js';
import { evaluateBestPrice } from './evaluation/best-price.js';
import { evaluateBestPriceTruth } from './evaluation/best-price-truth.js';
import { readPairs, readSources } from './evaluation/judgements.js';
import { evaluateGroups } from './evaluation/groups.js';
import { evaluateMatch } from './evaluation/match.js';
import { evaluateModel } from './evaluation/model.js';
import { formatReport, readReport, writeReport, type Report } from './evaluation/report.js';
import { evaluateSpeed } from './evaluation/speed.js';
import { evaluateSearch } from './evaluation/search.js';
import { evaluateTasks } from './evaluation/tasks.js';
import { readSecret } from '../src/platform/config/secret-files.js';
import { commands, type Io, subcommand } from './shared/command.js';
import { readDemoState } from './shared/demo-state.js';
import { CommandError, UsageError } from './shared/exit.js';
import { atLeastOne, needed, preset, text, type Values, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';

const SHARED = {
  url: text('URL', 'where the API is (that of a running demo, else http://localhost:3000)'),
  key: text(
    'KEY',
    'an API key, or API_KEY, or API_KEY_FILE; one of the premium tier waits least for the rate limit',
  ),
  json: text('FILE', 'write the figures there'),
  compare: text('FILE', 'set those of an earlier --json beside'),
};
const SAMPLE_RANGE = { min: 1, max: 1_000_000 };

export const main = commands({
  name: 'evaluate',
  about:
    'Measures a running API by judgements of people. Listings are named by source and sku and must be in its catalogue.',
  commands: {
    search: subcommand({
      about: 'NDCG@10 of searches',
      options: {
        ...SHARED,
        judgements: atLeastOne(
          text(
            'FILE',
            'CSV query,source,sku,rating; rating 0 to 5, of which 0 is worth nothing, or 1 where no lower one is given; ' +
              'a listing without a row is unjudged. May be given several times',
          ),
        ),
      },
      run: ({ options }, env, io) =>
        measure('search', options, env, io, (api) => evaluateSearch(api, options.judgements)),
    }),
    match: subcommand({
      about: 'precision, recall and F1 of compare, end to end (the first match) and by pair, and calibration',
      options: {
        ...SHARED,
        gold: needed(text('FILE', 'CSV a_source,a_sku,b_source,b_sku: every pair that is the same product')),
        sources: text(
          'FILE',
          'CSV a_source,a_sku: every listing that was judged, with a match or without (default: those of the gold file, which flatters precision)',
        ),
        pairs: text('FILE', 'CSV as the gold file and label 1 or 0; adds figures by pair'),
      },
      run: ({ options }, env, io) =>
        measure('match', options, env, io, async (api) => {
          const gold = await readPairs(options.gold);
          const sources = options.sources === undefined ? null : await readSources(options.sources);
          const pairs = options.pairs === undefined ? [] : await readPairs(options.pairs);
          return evaluateMatch(api, { gold, sources, pairs });
        }),
    }),
    groups: subcommand({
      about:
        'whether the groups of npm run link are the products: pairwise and B-cubed precision, recall and F1',
      options: {
        ...SHARED,
        gold: needed(
          text(
            'FILE',
            'CSV a_source,a_sku,b_source,b_sku: every pair that is the same product; or with a label 1 or 0 some that are and some that are not',
          ),
        ),
        sources: text(
          'FILE',
          'CSV a_source,a_sku: every listing that was judged, also one that is like no other (default: those of the gold file)',
        ),
      },
      run: ({ options }, env, io) =>
        measure('groups', options, env, io, async (api) => {
          const gold = await readPairs(options.gold);
          const sources = options.sources === undefined ? null : await readSources(options.sources);
          return evaluateGroups(api, { gold, sources });
        }),
    }),
    model: subcommand({
      about: 'share of listings found by their model number (metadata.model) in four spellings',
      options: {
        ...SHARED,
        source: text('SOURCE', 'of one platform; all by default'),
        sample: preset(wholeNumber('so many of them; 200 by default', SAMPLE_RANGE), 200),
      },
      run: ({ options }, env, io) => measure('model', options, env, io, (api) => evaluateModel(api, options)),
    }),
    'best-price': subcommand({
      about:
        'how often the cheaper of a pair comes when either is asked for by name; or, of the sample catalogue: every model by ' +
        'brand and model, 400 listings by their titles, and 40 well-known products that it does not have',
      options: {
        ...SHARED,
        gold: text('FILE', 'as for match; pairs in which both have a price in one currency are used'),
        truth: text('FILE', 'that of npm run sample -- --truth FILE'),
      },
      run: ({ options }, env, io) => {
        const { gold, truth } = options;
        if ((gold === undefined) === (truth === undefined))
          throw new UsageError('best-price needs either --gold FILE or --truth FILE');
        return measure('best-price', options, env, io, async (api) =>
          truth === undefined
            ? evaluateBestPrice(api, await readPairs(gold ?? ''))
            : evaluateBestPriceTruth(api, truth),
        );
      },
    }),
    tasks: subcommand({
      about: 'shopping tasks as people put them: complete, right, wrong',
      options: {
        ...SHARED,
        tasks: needed(
          text(
            'FILE',
            'CSV task,family,phrases,answer: what is asked for (several with | between them) and every right offer as ' +
              'source:sku with blanks between them; family specific or add_to_cart: all offers of a product, cheapest or ' +
              'end_to_end: the cheapest',
          ),
        ),
      },
      run: ({ options }, env, io) =>
        measure('tasks', options, env, io, (api) => evaluateTasks(api, options.tasks)),
    }),
    speed: subcommand({
      about: 'time of a compare and of a matrix of 20 against that of a search, asked in turns; medians',
      options: {
        ...SHARED,
        source: text('SOURCE', 'with listings of one platform; all by default'),
        rounds: preset(wholeNumber('so many rounds; 60 by default', SAMPLE_RANGE), 60),
      },
      run: ({ options }, env, io) => measure('speed', options, env, io, (api) => evaluateSpeed(api, options)),
    }),
  },
  notes: 'Intervals are of 95 %, by resampling the cases 1,000 times with a fixed seed.',
  exits: { done: 'measured' },
});

async function measure(
  command: string,
  { url, key, json, compare }: Values<typeof SHARED>,
  env: NodeJS.ProcessEnv,
  { out }: Io,
  run: (api: EvaluationApi) => Promise<Omit<Report, 'command' | 'at'>>,
): Promise<void> {
  const usable = key ?? readSecret(env, 'API_KEY');
  if (!usable) throw new UsageError('an API key is needed: --key KEY, API_KEY, or API_KEY_FILE');
  const where = url ?? readDemoState()?.apiUrl ?? 'http://localhost:3000';
  const earlier = compare === undefined ? null : await readReport(compare);
  if (earlier !== null && earlier.command !== command) {
    throw new CommandError(`${compare} is of ${earlier.command}, not of ${command}`);
  }
  const found = await run(openApi(where.replace(/(?<!\/)\/+$/, ''), usable));
  if (found.figures.every(({ cases }) => cases === 0)) {
    throw new CommandError('none of the judged listings is in the catalogue');
  }
  const report: Report = { command, at: new Date().toISOString(), ...found };
  out.write(formatReport(report, earlier));
  if (json !== undefined) await writeReport(json, report);
}

await start(import.meta.url, main);
