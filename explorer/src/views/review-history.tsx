import { Tags, Text } from '../components.js';
import { percent, sentence } from '../format.js';
import type { DecisionResults, ReviewItem } from '../types.js';

export type Choice = 'same' | 'different' | 'skip';

/** Why the matcher asks. It is shown after the decision, because it tells what the matcher believes. */
const REASONS: Readonly<Record<ReviewItem['reason'], string>> = {
  uncertain: 'The matcher was uncertain',
  contradiction: 'They were one product, although their comparison says otherwise',
  gtin_conflict: 'They share a GTIN, but their makers differ',
  large_group: 'The least likely pair of a large product',
};

/** A decision of this visit: the pair, what was decided, and what followed from it. */
export interface Decided {
  /** Tells decisions of this visit apart, because a pair can be decided again after an undo. */
  number: number;
  item: ReviewItem;
  decision: Choice;
  /** The reason, as the reviewer wrote it. */
  note: string;
  result: DecisionResults['results'][number] | null;
  /** What went wrong, in a sentence. */
  failure: string | null;
  undo?: 'asked' | 'done';
}

const SHOWN_DECISIONS = 8;

/** The decisions of this visit, with what followed from them, and the matcher's opinion of these pairs. */
export function History({ of }: { of: Decided[] }) {
  return (
    <section class="desk-history" aria-label="Your decisions">
      <h2>Your decisions</h2>
      <ol aria-live="polite">
        {of.slice(0, SHOWN_DECISIONS).map((decided) => (
          <li key={decided.item.pair_id}>
            <p>
              <b>{sentence(decided.decision)}</b>: <Text>{decided.item.a.name}</Text> /{' '}
              <Text>{decided.item.b.name}</Text>
            </p>
            <p class="note">{outcomeOf(decided)}</p>
            <Opinion item={decided.item} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function outcomeOf({ decision, result, failure, undo }: Decided): string {
  if (failure !== null) return failure;
  if (undo !== undefined) return undo === 'done' ? 'Undone.' : 'Being undone …';
  if (result === null)
    return decision === 'skip'
      ? 'Being skipped …'
      : 'Being stored. The products are formed again, which takes a moment; go on meanwhile.';
  if (decision === 'skip') return 'The pair is no longer in your queue.';
  const { outcome, groups_before: before, groups_after: after, detail } = result;
  if (outcome === 'rejected') return `It was not stored: ${detail ?? ''}`;
  if (outcome === 'pending') return 'Stored. The products follow with the next npm run link.';
  if (outcome === 'overruled')
    return 'Stored, but other decisions or the maximum size of a product outweigh it.';
  const wereOne = before?.a === before?.b;
  const areOne = after?.a === after?.b;
  if (wereOne === areOne)
    return areOne ? 'They are one product, as before.' : 'They are two products, as before.';
  return areOne ? 'They are one product now.' : 'They are two products now.';
}

function Opinion({
  item: { reason, score, match_reasons: reasons = [], contradictions = [] },
}: {
  item: ReviewItem;
}) {
  if (score === undefined) return null;
  return (
    <div class="desk-opinion">
      <span class="note">
        By the matcher, they are the same product with a probability of {percent(score)}. {REASONS[reason]}.
      </span>
      {reasons.length > 0 && (
        <>
          <span class="note">In common:</span> <Tags of={reasons} kind="good" />
        </>
      )}
      {contradictions.length > 0 && (
        <>
          <span class="note">Different:</span> <Tags of={contradictions} kind="bad" />
        </>
      )}
    </div>
  );
}
