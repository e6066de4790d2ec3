import { mapLimited, type EvaluationApi, type Listing } from './api.js';
import { listingKeyText, type JudgedPair } from './judgements.js';
import type { Findings } from './report.js';
import { bootstrap, mean } from './statistics.js';

const WORST = 20;

/** A name for which the best price was requested, and the outcome. */
interface RequestedName {
  q: string;
  outcome: 'cheapest' | 'dearer' | 'neither' | 'nothing';
  answer: string;
}

/**
 * Requests the best price with both names of each pair of listings whose prices differ. The correct answer
 * is the cheaper listing.
 */
export async function evaluateBestPrice(api: EvaluationApi, gold: JudgedPair[]): Promise<Findings> {
  const shops = new Set(gold.flatMap(({ a, b }) => [a.source, b.source]));
  const known = new Map<string, Listing>();
  for (const shop of shops)
    for (const listing of await api.listings(shop)) known.set(listingKeyText(listing), listing);
  const questions = gold.flatMap(({ a, b, same }) => {
    const pair = [known.get(listingKeyText(a)), known.get(listingKeyText(b))].filter(
      (one) => one !== undefined && one.price !== null,
    ) as Listing[];
    const [one, other] = pair;
    if (!same || one === undefined || other === undefined || one.currency !== other.currency) return [];
    return pair.map(({ name }) => ({ q: name, pair }));
  });
  const asked = await mapLimited(questions, 4, ({ q, pair }) => ask(api, q, pair));
  const share = (outcome: RequestedName['outcome']) => (cases: readonly RequestedName[]) =>
    mean(cases.map((one) => Number(one.outcome === outcome)));
  const worst = asked
    .filter(({ outcome }) => outcome === 'neither' || outcome === 'nothing')
    .map(({ q, answer, outcome }) => `${outcome}  ${q}\n         ${answer}`);
  return {
    figures: [
      bootstrap('the cheaper of the pair', asked, share('cheapest')),
      bootstrap('the dearer of the pair', asked, share('dearer')),
      bootstrap('neither of the pair', asked, share('neither')),
      bootstrap('nothing at all', asked, share('nothing')),
    ],
    tables: [],
    worst: worst.slice(0, WORST),
  };
}

async function ask(api: EvaluationApi, q: string, pair: Listing[]): Promise<RequestedName> {
  const answer = await api.get<Listing>(`/v1/products/best-price?q=${encodeURIComponent(q)}`);
  if (answer === null) return { q, outcome: 'nothing', answer: '' };
  const cheapest = Math.min(...pair.map(({ price }) => Number(price)));
  const outcome = !pair.some(({ id }) => id === answer.id)
    ? 'neither'
    : Number(answer.price) === cheapest
      ? 'cheapest'
      : 'dearer';
  return { q, outcome, answer: `${answer.name} (${answer.price ?? ''})` };
}
