import type { estypes } from '@elastic/elasticsearch';
import type { Static } from 'typebox';
import { hitExplainer } from '../../src/usecases/search/explain.js';
import type { ListingHit } from '../../src/engine/search-listings.js';
import type { ExplanationSchema } from '../../src/schemas/explain.js';
import { formatCount } from '../../src/text/quantities.js';

export interface Searched {
  query: string;
  searched: string;
  synonyms: readonly string[];
  products: string;
  total: number;
  all: number;
  tokens: readonly estypes.IndicesAnalyzeAnalyzeToken[];
  explanation: Static<typeof ExplanationSchema>;
  request: object;
  listings: readonly ListingHit[];
  id: number | undefined;
}

export function describeSearch(search: Searched): string {
  const { query, products, total, all, tokens, explanation, request, listings, searched, synonyms, id } =
    search;
  const found = `"${query}" finds ${formatCount(total)} of ${formatCount(all)} listings of ${products}, ${formatCount(explanation.found_all)} of them with every word`;
  const corrected = explanation.corrected_query;
  const { brands, matcher } = explanation.learned;
  const learned = `learned: brand dictionary ${brands ?? 'none'}, matching model ${matcher ?? 'shipped'}`;
  const notes = [
    ...(corrected === null ? [] : [`searched for instead: ${corrected}`]),
    ...synonyms.map((text) => `searched for as well: ${text}`),
    ...(explanation.rules.length === 0 ? [] : [`merchandising rules: ${explanation.rules.join(', ')}`]),
  ];
  const parts = [
    [found, ...notes, learned],
    ['TOKENS', ...tokens.map(describeToken)],
    ['WORDS', ...explanation.words.map(describeWord), ...describeRest(explanation)],
    ['REQUEST', `POST /${products}/_search`, compactJson(request)],
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

type Explanation = Searched['explanation'];

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
