import { mapLimited } from '../../scripts/shared/collections.js';
import { type EvaluationApi, type Listing } from './api.js';
import { containsWords, wordsOf } from './names.js';
import type { Table } from './report.js';
import { bootstrapByCase, pairedChange, type Figure } from './statistics.js';

/** The maximum number of offers or search results that one request asks for. */
const LIMIT = 20;
const CONCURRENCY = 3;

/** Where an answer comes from: the best price of the service, or the naive baseline. */
export type Answerer = 'service' | 'naive';

const ANSWERERS: Record<Answerer, (api: EvaluationApi, q: string) => Promise<Listing[]>> = {
  service: async (api, q) =>
    (await api.get<{ items: Listing[] }>(`/v1/products/best-price?limit=${LIMIT}&q=${encodeURIComponent(q)}`))
      ?.items ?? [],
  naive: naiveOffers,
};

/** The naive baseline: the results of a plain search whose names contain every word, the cheapest first, unconverted prices last. */
async function naiveOffers(api: EvaluationApi, q: string): Promise<Listing[]> {
  const words = wordsOf(q);
  const page = await api.get<{ items: Listing[] }>(`/v1/search?limit=${LIMIT}&q=${encodeURIComponent(q)}`);
  const offers = (page?.items ?? []).filter(
    ({ name, price }) => price !== null && containsWords(name, words),
  );
  const isOther = ({ currency }: Listing) => Number(currency !== offers[0]?.currency);
  return offers.sort((a, b) => isOther(a) - isOther(b) || Number(a.price) - Number(b.price));
}

/** A product query with the outcome of each answer to it. */
export interface Classified<Outcome> {
  /** Identifies the query in reports, so that two reports can be compared query by query. */
  id: string;
  kind: string;
  outcomes: Record<Answerer, Outcome>;
  /** The offers that the service answered to each phrase of the query, best first. */
  answers: Listing[][];
}

/** Asks the service and the baseline for each phrase of the queries, and classifies the offers of both with `classify`. */
export const answerAll = <Query extends { id: string; kind: string; phrases: readonly string[] }, Outcome>(
  api: EvaluationApi,
  queries: readonly Query[],
  classify: (query: Query, answers: Listing[][]) => Outcome,
): Promise<(Query & Classified<Outcome>)[]> =>
  mapLimited(queries, CONCURRENCY, async (query) => {
    const ask = async (answerer: Answerer) => {
      const answers: Listing[][] = [];
      for (const phrase of query.phrases) answers.push(await ANSWERERS[answerer](api, phrase));
      return answers;
    };
    const answers = await ask('service');
    const outcomes = { service: classify(query, answers), naive: classify(query, await ask('naive')) };
    return { ...query, answers, outcomes };
  });

/** The share of queries whose outcome passes a test: of the service, of the baseline, and the paired difference. */
export function outcomeShare<Outcome>(
  name: string,
  cases: readonly Classified<Outcome>[],
  test: (outcome: Outcome) => boolean,
): Figure {
  const of = (answerer: Answerer) =>
    bootstrapByCase(name, new Map(cases.map(({ id, outcomes }) => [id, Number(test(outcomes[answerer]))])));
  const [service, baseline] = [of('service'), of('naive')];
  const difference = pairedChange(service, baseline);
  return difference === null ? service : { ...service, baseline, difference };
}

/** Returns a table that counts outcomes by the kind of query, for the service and the baseline. */
export function countOutcomes<Outcome>(
  title: string,
  cases: readonly Classified<Outcome>[],
  tests: Readonly<Record<string, (outcome: Outcome) => boolean>>,
): Table {
  const kinds = [...new Set(cases.map(({ kind }) => kind))];
  return {
    title,
    header: ['kind', 'answered by', 'queries', ...Object.keys(tests)],
    rows: kinds.flatMap((kind) => {
      const some = cases.filter((one) => one.kind === kind);
      return (['service', 'naive'] as const).map((answerer) => [
        kind,
        answerer,
        some.length,
        ...Object.values(tests).map((test) => some.filter(({ outcomes }) => test(outcomes[answerer])).length),
      ]);
    }),
  };
}

export const describeOffer = ({ name, price, source, sku }: Listing): string =>
  `${name} (${price ?? 'no price'}, ${source}:${sku})`;
