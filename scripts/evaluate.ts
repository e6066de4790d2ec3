/** npm run evaluate -- search | match | model | best-price | tasks | speed: quality by judgement files; see --help. */
import { parseArgs } from 'node:util';
import { openApi } from './evaluate/api.js';
import { evaluateBestPrice } from './evaluate/best-price.js';
import { evaluateBestPriceTruth } from './evaluate/best-price-truth.js';
import { readPairs, readSources } from './evaluate/judgements.js';
import { evaluateMatch } from './evaluate/match.js';
import { evaluateModel } from './evaluate/model.js';
import { formatReport, readReport, writeReport, type Report } from './evaluate/report.js';
import { evaluateSpeed } from './evaluate/speed.js';
import { evaluateSearch, readRatings } from './evaluate/search.js';
import { evaluateTasks } from './evaluate/tasks.js';
import { readDemoState } from './shared/demo-state.js';
import { CommandError, fail } from './shared/terminal.js';

const HELP = `npm run evaluate -- COMMAND --key KEY

Measures a running API by judgements of people. Listings are named by source and sku and must be in its catalogue.

  search      NDCG@10 of searches
                --judgements FILE   CSV query,source,sku,rating; rating 0 to 3; a listing without a row is unjudged
  match       precision, recall and F1 of compare, end to end (the first match) and by pair, and calibration
                --gold FILE         CSV a_source,a_sku,b_source,b_sku: every pair that is the same product
                --sources FILE      CSV a_source,a_sku: every listing that was judged, with a match or without
                                    (default: those of the gold file, which flatters precision)
                --pairs FILE        CSV as the gold file and label 1 or 0; adds figures by pair
  model       share of listings found by their model number (metadata.model) in four spellings
                --source SOURCE --sample N   of one platform (all), so many of them (200)
  best-price  how often the cheaper of a pair comes when either is asked for by name
                --gold FILE         as above; pairs in which both have a price in one currency are used
              or, of the sample catalogue: every model by brand and model, 400 listings by their titles, and 40
              well-known products that it does not have
                --truth FILE        that of npm run sample -- --truth FILE
  tasks       shopping tasks as people put them: complete, right, wrong
                --tasks FILE        CSV task,family,phrases,answer: what is asked for (several with | between them) and
                                    every right offer as source:sku with blanks between them; family specific or
                                    add_to_cart: all offers of a product, cheapest or end_to_end: the cheapest
  speed       time of a compare and of a matrix of 20 against that of a search, asked in turns; medians
                --source SOURCE --rounds N   with listings of one platform (all), so many rounds (60)

  --url URL       where the API is (that of a running demo, else http://localhost:3000)
  --key KEY       an API key, or API_KEY; one of the premium tier waits least for the rate limit
  --json FILE     write the figures there
  --compare FILE  set those of an earlier --json beside
  --help

Intervals are of 95 %, by resampling the cases 1,000 times with a fixed seed.
Exit code: 0 measured, 1 failed, 2 wrong use.
`;

const OPTIONS = {
  help: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'string' },
  compare: { type: 'string' },
  judgements: { type: 'string' },
  gold: { type: 'string' },
  truth: { type: 'string' },
  tasks: { type: 'string' },
  sources: { type: 'string' },
  pairs: { type: 'string' },
  source: { type: 'string' },
  sample: { type: 'string', default: '200' },
  rounds: { type: 'string', default: '60' },
} as const;

class UsageError extends Error {}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const needed = (name: 'gold' | 'judgements' | 'tasks'): string => {
    const value = values[name];
    if (value === undefined) throw new UsageError(`${positionals[0]} needs --${name} FILE`);
    return value;
  };
  const key = values.key ?? process.env['API_KEY'];
  if (!key) throw new UsageError('an API key is needed: --key KEY, or API_KEY');
  const api = openApi(
    (values.url ?? readDemoState()?.apiUrl ?? 'http://localhost:3000').replace(/(?<!\/)\/+$/, ''),
    key,
  );
  const positive = (name: 'sample' | 'rounds'): number => {
    const value = Number(values[name]);
    if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${name} is a positive number`);
    return value;
  };

  const measure: Record<string, () => Promise<Omit<Report, 'command' | 'at'>>> = {
    search: async () => evaluateSearch(api, await readRatings(needed('judgements'))),
    match: async () => {
      const gold = await readPairs(needed('gold'));
      const sources = values.sources === undefined ? null : await readSources(values.sources);
      return evaluateMatch(api, {
        gold,
        sources,
        pairs: values.pairs === undefined ? [] : await readPairs(values.pairs),
      });
    },
    model: () => evaluateModel(api, { source: values.source, sample: positive('sample') }),
    'best-price': async () =>
      values.truth === undefined
        ? evaluateBestPrice(api, await readPairs(needed('gold')))
        : evaluateBestPriceTruth(api, values.truth),
    tasks: async () => evaluateTasks(api, needed('tasks')),
    speed: () => evaluateSpeed(api, { source: values.source, rounds: positive('rounds') }),
  };
  const [command = '', ...more] = positionals;
  const run = measure[command];
  if (run === undefined || more.length > 0)
    throw new UsageError(`say one of ${Object.keys(measure).join(', ')}`);

  const earlier = values.compare === undefined ? null : await readReport(values.compare);
  if (earlier !== null && earlier.command !== command) {
    throw new CommandError(`${values.compare} is of ${earlier.command}, not of ${command}`);
  }
  const found = await run();
  if (found.figures.every(({ cases }) => cases === 0)) {
    throw new CommandError('none of the judged listings is in the catalogue');
  }
  const report: Report = { command, at: new Date().toISOString(), ...found };
  process.stdout.write(formatReport(report, earlier));
  if (values.json !== undefined) await writeReport(values.json, report);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const misused = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  if (!misused) {
    fail(error);
    return;
  }
  process.stderr.write(`${error.message}\nnpm run evaluate -- --help says more\n`);
  process.exitCode = 2;
});
