import type { estypes } from '@elastic/elasticsearch';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/find-by-text.js';
import { countMatches, type FoundHits, searchHits } from '../../src/engine/pages.js';
import { explanationOf, searchedFor } from '../../src/usecases/search/explained.js';
import { withNames } from '../../src/engine/queries/explain.js';
import { pageRequest } from '../../src/engine/queries/pages.js';
import type { Selection } from '../../src/engine/queries/selection.js';
import type { Hit } from '../../src/engine/pages.js';
import { catalogueOf, withEngine } from '../shared/catalogue.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { describeSearch } from './describe.js';

/** What is to be explained. */
export interface Sought {
  query: string;
  /** Of this listing alone. */
  id: number | undefined;
}

/** So many of the first. */
const SHOWN = 10;
const SCORED = { include_named_queries_score: true, track_scores: true };

/** Searches as the service does, and prints how what was found comes to its score. */
export const explainSearch = (sought: Sought, env: NodeJS.ProcessEnv, io: Io): Promise<void> =>
  withEngine(env, async (engine) => {
    io.out.write(await explain(engine, sought));
  });

async function explain(engine: CommandEngine, { query, id }: Sought): Promise<string> {
  const { es } = engine;
  const products = await catalogueOf(engine);
  const place = { index: products };
  const slice = { limit: SHOWN, offset: 0 };
  const read = (selection: Selection): Promise<FoundHits> =>
    searchHits(es, place, { ...selection, query: withNames(selection.query) }, { slice, request: SCORED });
  const first = { ofPage: ({ listings: [hit] }: { listings: Hit[] }) => hit?._source ?? null };
  const count = (body: estypes.SearchRequest) => es.search({ ...place, ...body });
  const found = await findByText<Hit, FoundHits>(query, TEXT_ALONE, { read, count, first });
  const { total, selection } = found;
  const listings = id === undefined ? found.listings : [await one(id)].flat();

  /** It scores as it does among the others. @returns none where the search does not find it. */
  async function one(id: number): Promise<Hit[]> {
    const narrowed = { bool: { must: [selection.query ?? { match_all: {} }], filter: [{ term: { id } }] } };
    const request = { slice: { limit: 1, offset: 0 }, request: SCORED };
    const { listings: hits } = await searchHits(es, place, { ...selection, query: narrowed }, request);
    if (hits.length === 0 && (await es.count({ ...place, query: { term: { id } } })).count === 0)
      throw new CommandError(`There is no listing ${id} in ${products}.`);
    return hits;
  }

  const searched = searchedFor(query, found);
  const [{ tokens = [] }, { count: all }, explanation] = await Promise.all([
    es.indices.analyze({ ...place, analyzer: 'product_query', text: searched }),
    es.count(place),
    explanationOf({ es, products }, query, found, {
      filter: [],
      hits: found.listings,
      count: (aggs) => countMatches(es, place, selection, aggs),
    }),
  ]);
  return describeSearch({
    query,
    searched,
    products,
    total,
    all,
    tokens,
    explanation,
    listings,
    id,
    request: pageRequest(selection, { from: 0 }, SHOWN),
  });
}
