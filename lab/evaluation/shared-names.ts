import type { EvaluationApi, Listing } from './api.js';
import { answerAll, countOutcomes, describeOffer, outcomeShare, type Classified } from './answers.js';
import { judgedProducts, type JudgedPair } from './judgements.js';
import { containsWords, foldName, headOf, isSpecific, wordsOf } from './names.js';
import { groupBy } from '../../scripts/shared/collections.js';
import type { Findings } from './report.js';
import { drawSample } from '../../src/text/statistics.js';

const SEED = 150;

interface SharedName {
  /** The folded name. */
  id: string;
  kind: string;
  phrases: [name: string];
  foldAnswer: (name: string) => string;
  isProduct: (answer: Listing) => boolean;
}

export interface SharedNameOptions {
  /** The sources whose listings are used; empty for all. */
  sources: readonly string[];
  sample: number;
  gold: readonly JudgedPair[];
  /** Whether names are shortened to the part before their specification. */
  heads: boolean;
}

type NameOutcome = 'right' | 'longer name' | 'another product' | 'nothing';

/** Requests the best price of names that several listings have, best of several sources, and compares names and judged products. */
export async function evaluateSharedNames(api: EvaluationApi, options: SharedNameOptions): Promise<Findings> {
  const answered = await answerAll(api, await drawSharedNames(api, options), nameOutcome);
  const is = (outcome: NameOutcome) => (one: NameOutcome) => one === outcome;
  const outcomes: NameOutcome[] = ['right', 'longer name', 'another product', 'nothing'];
  return {
    figures: outcomes.map((outcome) => outcomeShare(outcome, answered, is(outcome))),
    tables: [countOutcomes('Names', answered, Object.fromEntries(outcomes.map((one) => [one, is(one)])))],
    worst: answered.filter(({ outcomes: { service } }) => service !== 'right').map(describeName),
  };
}

async function drawSharedNames(
  api: EvaluationApi,
  { sources, sample, gold, heads }: SharedNameOptions,
): Promise<SharedName[]> {
  const listings = (await api.listings()).filter(
    ({ source }) => sources.length === 0 || sources.includes(source),
  );
  const productOf = judgedProducts(gold, listings);
  const shorten = (name: string) => (heads ? headOf(name) : name);
  const foldAnswer = (name: string) => foldName(shorten(name));
  const shared = [...groupBy(listings, ({ name }) => foldAnswer(name))].filter(
    ([name, same]) =>
      name !== '' &&
      (!heads || isSpecific(name)) &&
      same.length > 1 &&
      same.some(({ price }) => price !== null),
  );
  const isOfSeveral = (same: readonly Listing[]) => new Set(same.map(({ source }) => source)).size > 1;
  const ofSeveral = shared.filter(([, same]) => isOfSeveral(same));
  const ofOne = shared.filter(([, same]) => !isOfSeveral(same));
  const drawn = [...drawSample(ofSeveral, sample, SEED), ...drawSample(ofOne, sample, SEED)].slice(0, sample);
  return drawn.map(([id, same]) => {
    const products = new Set(same.map(productOf));
    return {
      id,
      kind: isOfSeveral(same) ? 'of several sources' : 'of one source',
      phrases: [shorten(same[0]?.name ?? id)],
      foldAnswer,
      isProduct: (answer) => products.has(productOf(answer)),
    };
  });
}

function nameOutcome(
  { id, phrases: [name], foldAnswer, isProduct }: SharedName,
  [offers = []]: Listing[][],
): NameOutcome {
  const [best] = offers;
  if (best === undefined) return 'nothing';
  if (foldAnswer(best.name) === id || isProduct(best)) return 'right';
  return containsWords(best.name, wordsOf(name)) ? 'longer name' : 'another product';
}

const describeName = ({ phrases, outcomes, answers }: SharedName & Classified<NameOutcome>): string =>
  [
    `${outcomes.service} (naive: ${outcomes.naive})  ${phrases[0]}`,
    ...answers.flatMap((offers) => offers.slice(0, 1)).map((best) => `    ${describeOffer(best)}`),
  ].join('\n');
