import type { estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import { schemaVersionOf } from '../../src/engine/index-versions.js';
import { pageRequest } from '../../src/engine/queries/selection.js';
import { type ListingHit, searchListings } from '../../src/engine/search-listings.js';
import { brandVersions } from '../../src/published/brand-dictionary.js';
import type { ActiveVersions } from '../../src/published/learned-versions.js';
import { matchingModels } from '../../src/published/matching-models.js';
import { PublishedRules, ruleVersions } from '../../src/published/published-rules.js';
import type { ExplanationSchema } from '../../src/schemas/explain.js';
import { formatCount } from '../../src/text/quantities.js';
import { explainText, hitExplainer, searchedText } from '../../src/usecases/search/explain.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { catalogueOf, type CommandEngine } from './engine.js';
import { CommandError } from './exit.js';

async function activeVersions({ es, indexPrefix }: CommandEngine): Promise<ActiveVersions> {
  const [brands, matcher] = await Promise.all([
    brandVersions(es, indexPrefix).activeNumber(),
    matchingModels(es, indexPrefix).activeNumber(),
  ]);
  return { brands, matcher };
}

const EXPLAINED = 10;
const SCORED = { include_named_queries_score: true, track_scores: true };

/** Describes a search: its tokens, words, request, and its first listings, or the one with the id. */
export async function describeSearch(
  engine: CommandEngine,
  query: string,
  id: number | undefined,
): Promise<string> {
  const { es } = engine;
  const products = await catalogueOf(engine);
  const target = { index: products };
  const published = await new PublishedRules(ruleVersions(es, engine.indexPrefix)).current();
  const found = await findByText(es, {
    ...TEXT_ALONE,
    text: query,
    recognizesNames: true,
    namesClauses: true,
    rules: { published, now: new Date() },
    target,
    schema: await schemaVersionOf(es, products),
    page: { slice: { limit: EXPLAINED, offset: 0 }, request: SCORED },
  });
  const { total, selection } = found;
  const listings = id === undefined ? found.hits : await hitsOf(id);

  async function hitsOf(id: number): Promise<ListingHit[]> {
    const narrowed = { bool: { must: [selection.query], filter: [{ term: { id } }] } };
    const page = { slice: { limit: 1, offset: 0 }, request: SCORED };
    const { hits } = await searchListings(es, target, { ...selection, query: narrowed }, page);
    if (hits.length === 0 && (await es.count({ ...target, query: { term: { id } } })).count === 0)
      throw new CommandError(`There is no listing ${id} in ${products}.`);
    return hits;
  }

  const searched = searchedText(query, found.corrected);
  const [{ tokens = [] }, { count: all }, explanation] = await Promise.all([
    es.indices.analyze({ ...target, analyzer: 'product_query', text: searched }),
    es.count(target),
    explainText(
      { es, products, learnedVersions: () => activeVersions(engine) },
      {
        typed: query,
        corrected: found.corrected,
        filter: [],
        target,
        query: selection.query,
        hits: found.hits,
        rules: found.rules,
      },
    ),
  ]);
  const summary = `"${query}" finds ${formatCount(total)} of ${formatCount(all)} listings of ${products}, ${formatCount(explanation.found_all)} of them with every word`;
  const {
    corrected_query: corrected,
    learned: { brands, matcher },
  } = explanation;
  const learned = `learned: brand dictionary ${brands ?? 'none'}, matching model ${matcher ?? 'shipped'}`;
  const notes = [
    ...(corrected === null ? [] : [`searched for instead: ${corrected}`]),
    ...found.rules.synonyms.flatMap(({ others }) => others).map((text) => `searched for as well: ${text}`),
    ...(explanation.rules.length === 0 ? [] : [`merchandising rules: ${explanation.rules.join(', ')}`]),
  ];
  const parts = [
    [summary, ...notes, learned],
    ['TOKENS', ...tokens.map(describeToken)],
    ['WORDS', ...explanation.words.map(describeWord), ...describeRest(explanation)],
    ['REQUEST', `POST /${products}/_search`, compactJson(pageRequest(selection, { from: 0 }, EXPLAINED))],
    [
      id === undefined ? 'FIRST LISTINGS' : `LISTING ${id}`,
      ...(listings.length === 0
        ? [id === undefined ? '  none' : '  not found: it has too few of the words']
        : []),
      ...listings.flatMap((hit, at) => describeHit(hit, searched, id === undefined ? `${at + 1}.` : '')),
    ],
  ];
  return parts.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

const describeToken = ({ token, type, position }: estypes.IndicesAnalyzeAnalyzeToken): string =>
  `  ${String(position).padStart(2)}  ${token}${type === 'SYNONYM' ? '  (synonym)' : ''}`;

type Explanation = Static<typeof ExplanationSchema>;

function describeWord({ word, known, read_as: readAs, synonyms }: Explanation['words'][number]): string {
  const notes = [
    ...(known ? [] : ['in no listing found']),
    ...(readAs === null ? [] : [`read as ${readAs}`]),
    ...(synonyms.length === 0 ? [] : [`also ${synonyms.join(', ')}`]),
  ];
  return `  ${word}${notes.length === 0 ? '' : `: ${notes.join('; ')}`}`;
}

const describeRest = ({ identifiers, phrases }: Explanation): string[] => [
  ...identifiers.map((gtin) => `  GTIN ${gtin}`),
  ...phrases.map((phrase) => `  phrase "${phrase}"`),
];

function describeHit(hit: ListingHit, searched: string, place: string): string[] {
  const { clauses, missing } = hitExplainer(searched)(hit);
  const { id, name, source, price, currency } = hit._source ?? {};
  const scores = Object.entries(clauses).map(([clause, score]) => `${clause} ${score}`);
  const costs = price === null || price === undefined ? 'no price' : `${price} ${currency ?? ''}`.trim();
  return [
    `${place.padStart(4)} ${(hit._score ?? 0).toFixed(3)}  ${name}`,
    `     ${id}, ${source}, ${costs}`,
    `     ${scores.join(' + ')}${missing.length === 0 ? '' : `; lacks ${missing.join(', ')}`}`,
  ];
}

const WIDTH = 118;

/** Formats JSON with line breaks, but keeps each value that fits on a line on one line. */
function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((part) => compactJson(part, inner))
    : Object.entries(value).flatMap(([name, part]) =>
        part === undefined ? [] : [`${JSON.stringify(name)}: ${compactJson(part, inner)}`],
      );
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}
