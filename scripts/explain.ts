/** npm run explain: explains the order of the results of a search; see --help. */
import { explainSearch } from './explanation/explain-search.js';
import { command } from './shared/command.js';
import { UsageError } from './shared/exit.js';
import { wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'explain',
  about: `Shows how GET /v1/search comes to its order for a text: the tokens that the index makes of it, what was made of
each word, the request, and for the first ten listings, or for one, the clauses that they score by and the words that they lack.`,
  operands: { show: '"QUERY"', missing: 'Say what is searched for, as in npm run explain -- "red kettle"' },
  options: {
    id: wholeNumber('the listing to show, wherever it stands', { min: 1, max: Number.MAX_SAFE_INTEGER }),
  },
  notes: `Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  async run({ options, operands: [query = ''] }, env, io) {
    if (query.trim() === '') throw new UsageError('The query must not be blank');
    await explainSearch({ query: query.trim(), id: options.id }, env, io);
  },
});

await start(import.meta.url, main);
