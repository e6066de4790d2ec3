import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { drawSample } from '../../src/text/statistics.js';
import { readCsv, sourcesFile } from '../../scripts/shared/csv-file.js';
import { groupBy } from '../../scripts/shared/collections.js';
import type { EvaluationApi, Listing } from './api.js';
import { answerAll, countOutcomes, describeOffer, outcomeShare, type Classified } from './answers.js';
import { type JudgedPair } from './judgements.js';
import type { Findings } from './report.js';
import { listingKey } from '../../src/listing/identify.js';

const TITLES = 400;
const SEED = 11;
const WORST = 40;
/** Products that the sample catalogue does not have. */
const NOT_CARRIED = parse(readFileSync(new URL('not-carried.yaml', import.meta.url), 'utf8')) as string[];

/** A product query, and the offers that are correct answers; none if the catalogue does not have the product. */
interface JudgedQuery {
  id: string;
  kind: 'name of a pair' | 'brand model' | 'full title' | 'not carried';
  phrases: [q: string];
  offers: Listing[];
}

type QueryOutcome = 'cheapest' | 'dearer' | 'another product' | 'nothing';
const OUTCOMES: QueryOutcome[] = ['cheapest', 'dearer', 'another product', 'nothing'];

const isOneOf =
  (...outcomes: QueryOutcome[]) =>
  (outcome: QueryOutcome): boolean =>
    outcomes.includes(outcome);

/** Requests the best price of each query, and classifies the answers. */
export async function evaluateBestPrice(
  api: EvaluationApi,
  queries: readonly JudgedQuery[],
): Promise<Findings> {
  const answered = await answerAll(api, queries, queryOutcome);
  const figures = [...groupBy(answered, ({ kind }) => kind)].flatMap(([kind, cases]) =>
    kind === 'not carried'
      ? [outcomeShare('not carried: 404', cases, isOneOf('nothing'))]
      : [
          outcomeShare(`${kind}: right and cheapest`, cases, isOneOf('cheapest')),
          outcomeShare(`${kind}: right`, cases, isOneOf('cheapest', 'dearer')),
          outcomeShare(`${kind}: another product`, cases, isOneOf('another product')),
          outcomeShare(`${kind}: 404`, cases, isOneOf('nothing')),
        ],
  );
  const tests = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, isOneOf(outcome)]));
  const wrong = answered.filter(({ kind, outcomes: { service } }) =>
    kind === 'not carried' ? service !== 'nothing' : service !== 'cheapest',
  );
  return {
    figures,
    tables: [countOutcomes('Answers', answered, tests)],
    worst: wrong.slice(0, WORST).map(describeAnswer),
  };
}

/** Both names of each pair of listings that are one product with prices in one currency. The cheaper listing is the answer. */
export async function queriesOfPairs(
  api: EvaluationApi,
  pairs: readonly JudgedPair[],
): Promise<JudgedQuery[]> {
  const listings = new Map((await api.listings()).map((listing) => [listingKey(listing), listing]));
  return pairs.flatMap(({ a, b, same }) => {
    const [one, other] = [listings.get(listingKey(a)), listings.get(listingKey(b))];
    if (!same || one === undefined || other === undefined) return [];
    if (one.price === null || other.price === null || one.currency !== other.currency) return [];
    return [one, other].map(({ id, name }) => ({
      id: `${one.id} ${other.id} ${id}`,
      kind: 'name of a pair' as const,
      phrases: [name] as [string],
      offers: [one, other],
    }));
  });
}

/** The queries of a generated catalogue: the brand and model of every product, full titles, and products that it does not contain. */
export async function queriesOfTruth(api: EvaluationApi, file: string): Promise<JudgedQuery[]> {
  const rows = await readCsv(sourcesFile(file), ['a_source', 'a_sku', 'product', 'brand', 'model']);
  const listings = new Map((await api.listings()).map((listing) => [listingKey(listing), listing]));
  const offers = rows.flatMap(({ a_source: source, a_sku: sku, product, brand, model }) => {
    const listing = listings.get(listingKey({ source, sku }));
    return listing === undefined || listing.price === null ? [] : [{ listing, product, brand, model }];
  });
  const listingsOf = (some: typeof offers) => some.map(({ listing }) => listing);
  const models = groupBy(
    offers.filter(({ model }) => model !== ''),
    ({ brand, model }) => `${brand} ${model}`,
  );
  const titles = [...groupBy(offers, ({ product }) => product).values()].flatMap((some) =>
    some.map(({ listing }) => ({ listing, offers: listingsOf(some) })),
  );
  return [
    ...[...models].map(([q, some]) => query('brand model', q, listingsOf(some))),
    ...drawSample(titles, TITLES, SEED).map((title) =>
      query('full title', title.listing.name, title.offers, String(title.listing.id)),
    ),
    ...NOT_CARRIED.map((q) => query('not carried', q, [])),
  ];
}

const query = (kind: JudgedQuery['kind'], q: string, offers: Listing[], id = q): JudgedQuery => ({
  id,
  kind,
  phrases: [q],
  offers,
});

function queryOutcome({ offers }: JudgedQuery, [answered = []]: Listing[][]): QueryOutcome {
  const [answer] = answered;
  if (answer === undefined) return 'nothing';
  if (!offers.some(({ id }) => id === answer.id)) return 'another product';
  return rank(answer) <= rank(cheapest(offers)) ? 'cheapest' : 'dearer';
}

/** The rank of an offer in the order of the best price: available ones first, then the cheaper one. All have one currency. */
const rank = ({ is_available, price }: Listing): number =>
  (is_available === false ? 1e12 : 0) + Number(price);

const cheapest = (offers: readonly Listing[]): Listing =>
  offers.reduce((least, offer) => (rank(offer) < rank(least) ? offer : least));

function describeAnswer(one: JudgedQuery & Classified<QueryOutcome>): string {
  const { kind, outcomes, phrases, offers, answers } = one;
  const best = answers[0]?.[0];
  const expected = outcomes.service === 'dearer' ? `, not ${describeOffer(cheapest(offers))}` : '';
  return [
    `${kind}, ${outcomes.service} (naive: ${outcomes.naive})  ${phrases[0]}`,
    ...(best === undefined ? [] : [`    ${describeOffer(best)}${expected}`]),
  ].join('\n');
}
