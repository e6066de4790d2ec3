import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import type { RuleTarget } from '../../schemas/rules.js';
import { foldBrands } from '../../text/brand.js';
import { sourceClause } from './filter-clauses.js';
import type { QueryClause } from './selection.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * The distance between the scores of two pins. It exceeds every score that a listing gets from the query text, of
 * which those of identifiers are the highest: about 640,000 in a catalogue of 100 million listings.
 */
const PIN_SCORE = 1_000_000;

/** A boost of a rule: the listings, and the factor for their relevance. */
export type RuleBoost = RuleTarget & { by: number };

/** Clauses for the listings that rules name, each of which matches at least one of them. */
function targetClauses(targets: readonly RuleTarget[]): QueryClause[] {
  const valuesOf = <T>(pick: (target: RuleTarget) => T | undefined): T[] =>
    targets.flatMap((target) => pick(target) ?? []);
  const categories = valuesOf(({ category }) => category);
  const values: Record<string, (string | number)[]> = {
    id: valuesOf(({ id }) => id),
    'internal.brand': foldBrands(valuesOf(({ brand }) => brand)),
    'category.folded': categories,
    'internal.category_paths': categories.map((path) => formatCategoryPath(categoryLevels(path))),
  };
  return [
    ...Object.entries(values).flatMap(([field, some]) =>
      some.length === 0 ? [] : [{ terms: { [field]: some } }],
    ),
    ...valuesOf(({ source }) => source).map(sourceClause),
  ];
}

/** A clause for the listings that a rule pins, hides or boosts. */
export const targetClause = (target: RuleTarget): QueryClause => ({
  bool: { should: targetClauses([target]) },
});

/**
 * Changes a relevance query as boosts demand. A boost multiplies the odds of the part of the score that
 * compares listings with the same number of words, so no listing passes another one with more of the words.
 * @param words the number of words of the query text.
 */
export function boosted(scored: QueryClause, boosts: readonly RuleBoost[], words: number): QueryClause {
  const step = SEARCH_TUNING.allWords / Math.max(1, words);
  return boosts.reduce<QueryClause>(
    (query, { by, ...target }) => ({
      function_score: {
        query,
        functions: [
          { filter: targetClause(target), script_score: { script: { source: BOOST, params: { step, by } } } },
        ],
      },
    }),
    scored,
  );
}

/** Returns the factor by which the whole score of a listing changes. */
const BOOST = `
  if (_score <= 0) { return 1; }
  double rest = _score % params.step;
  return (_score - rest + rest * params.by / (1 + rest * (params.by - 1) / params.step)) / _score;
`;

/**
 * Puts pinned listings before all others, in the order of the pins. A listing that is pinned by its id is found
 * even if it has none of the words; pins of a brand, a category or a source apply to the found listings.
 */
export function pinnedFirst(scored: QueryClause, pins: readonly RuleTarget[]): QueryClause {
  if (pins.length === 0) return scored;
  const byId = listingsById(pins);
  // The score of this clause replaces a missing one, and shows explanations that the listing is pinned.
  const pinned = {
    constant_score: { filter: { bool: { should: targetClauses(pins) } }, boost: 1, _name: 'pinned' },
  };
  // Pins of other kinds apply to the found listings only.
  const isOnlyById = pins.every(({ id }) => id !== undefined);
  const among =
    byId === null
      ? { must: [pinned, scored] }
      : {
          must: [pinned],
          should: [scored],
          ...(!isOnlyById && { filter: [{ bool: { should: [scored, byId] } }] }),
        };
  const ranked: QueryClause = {
    function_score: {
      query: { bool: among },
      functions: pins.map((pin, at) => ({
        filter: targetClause(pin),
        script_score: { script: { source: PIN, params: { pin: PIN_SCORE * (pins.length - at) } } },
      })),
      score_mode: 'first',
    },
  };
  // Elasticsearch evaluates the second query for pinned listings only.
  return { dis_max: { queries: [scored, ranked] } };
}

/**
 * Returns the factor that raises the score of a listing to that of its pin. The listings of one pin keep their order:
 * their scores take the range up to the next pin, because the scores of Elasticsearch have only seven digits.
 */
const PIN = `(params.pin + ${0.9 * PIN_SCORE} * _score / (_score + 1000)) / _score`;

/** A clause for the listings that rules name by their ids; null if there are none. */
function listingsById(targets: readonly RuleTarget[]): QueryClause | null {
  const ids = targets.flatMap(({ id }) => id ?? []);
  return ids.length === 0 ? null : { terms: { id: ids } };
}

/** Clauses that leave out the listings that rules hide. */
export const withoutHidden = (hidden: readonly RuleTarget[]): QueryClause[] =>
  hidden.length === 0 ? [] : [{ bool: { must_not: targetClauses(hidden) } }];
