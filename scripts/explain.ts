/** npm run explain: explains the order of the results of a search; see --help. */
import { readBrands } from '../src/published/brand-dictionary.js';
import { type Maker, type MakerDictionary, makerNames } from '../src/matching/makers.js';
import { NO_WORDS } from '../src/naming/classifiers/catalogue.js';
import { readName } from '../src/naming/read-name.js';
import type { StoredListing } from '../src/listing/listing.js';
import { Runs } from '../src/sources/runs.js';
import { command } from './shared/command.js';
import { describeLineage } from './shared/describe-lineage.js';
import { describeReading } from './shared/describe-reading.js';
import { describeSearch } from './shared/describe-search.js';
import { catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError, UsageError } from './shared/exit.js';
import { text, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'explain',
  about: `Explains the order of the results of GET /v1/search for a query: the tokens of the query, what each word means, the
request to Elasticsearch, and for the first ten listings, or for one, the clauses that add to the score and the missing words.
With --name, prints how the name of a listing is read: its tokens, what was proposed for each, and the role of each word. It needs
no catalogue; if ELASTICSEARCH_URL is set, the brand dictionary of the catalogue counts. With --id alone, explains where the fields of the listing come from: the run of a load, the file, the line and the version of the
map that set each of them, and the last ten runs that wrote the listing.`,
  operands: { show: '"QUERY"' },
  options: {
    id: wholeNumber(
      'explain only the listing with this id, whatever its position; without a query, its lineage',
      { min: 1, max: Number.MAX_SAFE_INTEGER },
    ),
    name: text('NAME', 'print how this name is read'),
  },
  notes: `${ENGINE_HELP}.`,
  async run({ options, operands }, env, io) {
    const { id, name } = options;
    const [query = ''] = operands;
    if (name !== undefined) {
      if (operands.length > 0 || id !== undefined) throw new UsageError('State --name alone.');
      const makers =
        (env.ELASTICSEARCH_URL ?? '') === '' ? new Map<string, Maker>() : await withEngine(env, makersOf);
      const catalogue = { ...NO_WORDS, names: makerNames(makers) };
      io.out.write(describeReading(readName(name, { catalogue })));
      return;
    }
    if (operands.length === 0 && id === undefined)
      throw new UsageError(
        'State the query, as in npm run explain -- "red kettle", with --id N a listing whose lineage is shown, or with --name a name.',
      );
    if (operands.length > 0 && query.trim() === '') throw new UsageError('The query must not be blank');
    await withEngine(env, async (engine) => {
      if (operands.length === 0 && id !== undefined) {
        io.out.write(await lineageOf(engine, id));
        return;
      }
      io.out.write(await describeSearch(engine, query.trim(), id));
    });
  },
});

async function makersOf({ es, indexPrefix }: CommandEngine): Promise<MakerDictionary> {
  return (await readBrands(es, indexPrefix)).makers;
}

async function lineageOf(engine: CommandEngine, id: number): Promise<string> {
  const index = await catalogueOf(engine);
  const { _source: listing } = await engine.es.get<StoredListing>(
    { index, id: String(id) },
    { ignore: [404] },
  );
  if (listing === undefined) throw new CommandError(`There is no listing ${id} in ${index}.`);
  const ids = [...new Set((listing.internal.lineage ?? []).map(({ run }) => run))];
  return describeLineage(listing, await new Runs(engine.es, engine.indexPrefix).read(ids));
}

await start(import.meta.url, main);
