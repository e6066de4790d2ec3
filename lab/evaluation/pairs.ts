import { drawSample } from '../../src/text/statistics.js';
import { listingKey } from '../../src/listing/identify.js';
import { mapLimited } from '../../scripts/shared/collections.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { type EvaluationApi } from './api.js';
import { countsOf, type JudgedPair } from './judgements.js';
import { decimal, type Findings } from './report.js';
import { SHOWN, bootstrapByCase, retrievalFigures } from './statistics.js';

const SEED = 30;
const WORST = 40;

/** A labelled pair, and how likely the service considers it the same product. */
interface JudgedScore {
  /** The ids of the two listings. */
  id: string;
  same: boolean;
  score: number;
  description: string;
}

interface SameProduct {
  score: number;
  contradictions: string[];
}

/** Measures the answers to at most `sample` labelled pairs, independently of which listings `compare` finds. */
export async function evaluatePairs(
  api: EvaluationApi,
  pairs: readonly JudgedPair[],
  sample: number,
): Promise<Findings> {
  const listings = new Map((await api.listings()).map((listing) => [listingKey(listing), listing]));
  const known = pairs.flatMap(({ a, b, same }) => {
    const [one, other] = [listings.get(listingKey(a)), listings.get(listingKey(b))];
    return one === undefined || other === undefined ? [] : [{ one, other, same }];
  });
  const scored = await mapLimited(
    drawSample(known, sample, SEED),
    3,
    async ({ one, other, same }): Promise<JudgedScore> => {
      const body = { product_ids: [one.id, other.id], explain: true };
      const diff = await api.post<{ same_product?: SameProduct[] }>('/v1/products/compare/diff', body);
      const [answer] = diff?.same_product ?? [];
      if (answer === undefined) throw new CommandError('the service does not return same_product');
      const { score, contradictions } = answer;
      const reasons = contradictions.length === 0 ? '' : ` (${contradictions.join(', ')})`;
      return {
        id: `${one.id} ${other.id}`,
        same,
        score,
        description: `${decimal(score)}${reasons}  ${one.name}\n       ${other.name}`,
      };
    },
  );
  const isMatch = ({ score }: JudgedScore) => score >= SHOWN;
  const worst = scored
    .filter((one) => isMatch(one) !== one.same)
    .sort((a, b) => Math.abs(b.score - Number(b.same)) - Math.abs(a.score - Number(a.same)))
    .map(({ same, description }) => `${same ? 'same     ' : 'different'} ${description}`);
  return {
    figures: [
      ...retrievalFigures(new Map(scored.map((one) => [one.id, countsOf(one, isMatch(one))]))),
      bootstrapByCase(
        'expected calibration error',
        new Map(scored.map(({ id, score, same }) => [id, [score, Number(same)]])),
        'calibration',
      ),
    ],
    tables: [],
    worst: worst.slice(0, WORST),
  };
}
