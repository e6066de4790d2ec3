import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { type ListingHit, searchListings } from '../../src/engine/search-listings.js';
import { explainText, searchedText } from '../../src/usecases/search/explain.js';
import { pageRequest } from '../../src/engine/queries/selection.js';
import { catalogueOf, withEngine } from '../shared/catalogue.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { describeSearch } from './describe.js';

export interface ExplainedQuery {
  query: string;
  id: number | undefined;
}

const EXPLAINED = 10;
const SCORED = { include_named_queries_score: true, track_scores: true };

export const explainSearch = (explained: ExplainedQuery, env: NodeJS.ProcessEnv, io: Io): Promise<void> =>
  withEngine(env, async (engine) => {
    io.out.write(await explain(engine, explained));
  });

async function explain(engine: CommandEngine, { query, id }: ExplainedQuery): Promise<string> {
  const { es } = engine;
  const products = await catalogueOf(engine);
  const target = { index: products };
  const found = await findByText(es, {
    ...TEXT_ALONE,
    text: query,
    recognizesNames: true,
    namesClauses: true,
    target,
    page: { slice: { limit: EXPLAINED, offset: 0 }, request: SCORED },
  });
  const { total, selection, corrected } = found;
  const listings = id === undefined ? found.hits : await hitsOf(id);

  /** Returns the listing with its score among all results; an empty array if the search does not find it. */
  async function hitsOf(id: number): Promise<ListingHit[]> {
    const narrowed = { bool: { must: [selection.query], filter: [{ term: { id } }] } };
    const page = { slice: { limit: 1, offset: 0 }, request: SCORED };
    const { hits } = await searchListings(es, target, { ...selection, query: narrowed }, page);
    if (hits.length === 0 && (await es.count({ ...target, query: { term: { id } } })).count === 0)
      throw new CommandError(`There is no listing ${id} in ${products}.`);
    return hits;
  }

  const searched = searchedText(query, corrected);
  const [{ tokens = [] }, { count: all }, explanation] = await Promise.all([
    es.indices.analyze({ ...target, analyzer: 'product_query', text: searched }),
    es.count(target),
    explainText(
      { es, products },
      { typed: query, corrected, filter: [], target, query: selection.query, hits: found.hits },
    ),
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
    request: pageRequest(selection, { from: 0 }, EXPLAINED),
  });
}
