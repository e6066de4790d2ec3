import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, askForKey, callApi, callRepeatedly, ownPicture } from '../api.js';
import { ApiRequests, Failure, Loading } from '../components.js';
import { plural } from '../format.js';
import { viewUrl } from '../router.js';
import type { DecisionResults, ReviewItem, ReviewPage } from '../types.js';
import './review.css';
import { QueueFilters } from './review-filters.js';
import { type Choice, type Decided, History } from './review-history.js';
import { KeySetting, useKeys } from './review-keys.js';
import { ReviewedPair } from './review-pair.js';
import { Rule } from './review-rule.js';

const CHOICES: { decision: Choice; label: string; key: string }[] = [
  { decision: 'same', label: 'Same product', key: 's' },
  { decision: 'different', label: 'Different', key: 'd' },
  { decision: 'skip', label: 'Skip', key: 'k' },
];
const UNDO_KEY = 'u';

/** The number of pairs that are loaded at once, and at which more are loaded. */
const PAGE = 20;
const FEW = 5;

const isNotIn =
  (queue: readonly ReviewItem[]) =>
  ({ pair_id }: ReviewItem): boolean =>
    queue.every((one) => one.pair_id !== pair_id);

/** The desk at which people judge whether two listings are the same product. */
export function ReviewView({ query }: { query: URLSearchParams }) {
  const filters = {
    reason: query.get('reason'),
    source: query.get('source'),
    category: query.get('category'),
    decided: query.get('decided'),
  };
  const [queue, setQueue] = useState<ReviewItem[]>([]);
  // Decisions change which pairs are left. The queue is complete if all that were left after the last one are in it.
  const [completeAt, setCompleteAt] = useState(-1);
  const [open, setOpen] = useState<number | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [history, setHistory] = useState<Decided[]>([]);
  const pageUrl = (cursor: string) =>
    viewUrl('/v1/review', { ...filters, explain: 'true', limit: PAGE, cursor });
  const call: ApiCall = { path: pageUrl('') };
  const filterKey = JSON.stringify(filters);

  useEffect(() => {
    setQueue([]);
    setOpen(null);
    setCompleteAt(-1);
    setFailure(null);
  }, [filterKey]);

  // Requests are sent one after the other, so that an undo follows the decision that it is about.
  const requests = useRef<Promise<void>>(Promise.resolve());
  const inOrder = (work: () => Promise<void>) => (requests.current = requests.current.then(work));
  const made = useRef(0);
  const isComplete = completeAt === made.current;

  useEffect(() => {
    if (isComplete || queue.length > FEW || failure !== null) return;
    const abort = new AbortController();
    const { current: madeBefore } = made;
    const load = async () => {
      // What was decided must be stored, or it would be returned again.
      await requests.current;
      abort.signal.throwIfAborted();
      let cursor: string | null = '';
      let more: ReviewItem[] = [];
      // A page may consist of pairs of the queue, and of pairs with a listing that was withdrawn, which the API leaves out.
      while (cursor !== null && more.length === 0) {
        const page: ReviewPage = await callApi({ path: pageUrl(cursor) }, abort.signal);
        more = page.items.filter(isNotIn(queue));
        cursor = page.next_cursor;
        setOpen(page.open);
      }
      setQueue((rest) => [...rest, ...more.filter(isNotIn(rest))]);
      if (cursor === null) setCompleteAt(madeBefore);
    };
    load().catch((error: unknown) => {
      if (!abort.signal.aborted) setFailure(error as Error);
    });
    return () => abort.abort();
  }, [call.path, queue.length <= FEW, made.current, isComplete, failure]);

  const [item, next] = queue;
  // The pictures of the next pair are loaded while this one is read.
  useEffect(() => {
    for (const one of next === undefined ? [] : [next.a, next.b]) {
      const picture = ownPicture(one.image_url);
      if (picture !== null) new Image().src = picture;
    }
  }, [next?.pair_id]);
  const change = ({ number }: Decided, to: Partial<Decided>) =>
    setHistory((all) => all.map((one) => (one.number === number ? { ...one, ...to } : one)));
  const count = (by: number) => setOpen((known) => (known === null ? null : Math.max(0, known + by)));
  /** The ids of the decisions that were answered; null for those that were rejected. */
  const decisionIds = useRef(new Map<number, string | null>());

  const decide = (decision: Choice) => {
    if (item === undefined) return;
    const decided: Decided = { number: (made.current += 1), item, decision, result: null, failure: null };
    setQueue((rest) => rest.slice(1));
    count(-1);
    setHistory((all) => [decided, ...all.filter((one) => one.item.pair_id !== item.pair_id)]);
    void inOrder(async () => {
      try {
        const decisions = [{ a: String(item.a.id), b: String(item.b.id), decision }];
        const call = { path: '/v1/decisions', body: { decisions } };
        const [result = null] = (await callRepeatedly<DecisionResults>(call)).results;
        decisionIds.current.set(decided.number, result?.decision_id ?? null);
        change(decided, { result });
      } catch (error) {
        change(decided, {
          failure: `It may not be stored: ${(error as Error).message} The pair comes again.`,
        });
        // It comes at the end, so that the pair that is being read does not change.
        setQueue((rest) => (rest.some(({ pair_id }) => pair_id === item.pair_id) ? rest : [...rest, item]));
        count(1);
      }
    });
  };
  const last = history.find(({ undo: undone, failure: failed }) => undone === undefined && failed === null);
  const undo = () => {
    if (last === undefined) return;
    change(last, { undo: 'asked' });
    setQueue((rest) => [last.item, ...rest.filter(({ pair_id }) => pair_id !== last.item.pair_id)]);
    count(1);
    void inOrder(async () => {
      const id = decisionIds.current.get(last.number);
      try {
        // A decision that failed has returned its pair to the queue already, and one that was rejected needs no undo.
        if (id === undefined) count(-1);
        else if (id !== null) await callApi({ path: `/v1/decisions/${id}`, method: 'DELETE' });
        change(last, { undo: 'done' });
      } catch (error) {
        change(last, { failure: `It was not undone: ${(error as Error).message}` });
      }
    });
  };
  // Decisions that are on their way would be lost with the page.
  const isSending = history.some(
    ({ result, failure: failed, undo: undone }) => failed === null && (result === null || undone === 'asked'),
  );
  useEffect(() => {
    if (!isSending) return;
    const leaving = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', leaving);
    return () => removeEventListener('beforeunload', leaving);
  }, [isSending]);
  const [hasKeys, turnKeys] = useKeys((key) => {
    const choice = CHOICES.find((one) => one.key === key);
    if (choice !== undefined) decide(choice.decision);
    if (key === UNDO_KEY) undo();
  });

  const inForce = history.filter(
    ({ undo: undone, failure: failed }) => undone === undefined && failed === null,
  );
  const skipped = inForce.filter(({ decision }) => decision === 'skip').length;
  const progress = [
    ...(open === null ? [] : [`${plural(open, 'pair')} left`]),
    ...(inForce.length > skipped ? [`${plural(inForce.length - skipped, 'decision')} in this tab`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return (
    <>
      <header class="desk-head">
        <h1>Are these the same product?</h1>
        <p class="note" role="status">
          {progress.join(' · ')}
        </p>
      </header>
      <Rule />
      <QueueFilters query={query} />
      {failure !== null && (
        <div class="desk-note">
          <Failure error={failure} />
          {failure instanceof ApiFailure && [401, 403].includes(failure.status) && (
            <p>
              The desk needs a key with the scope <code>review</code>.{' '}
              <button type="button" class="button" onClick={askForKey}>
                Use another key
              </button>
            </p>
          )}
        </div>
      )}
      {item === undefined && failure === null && !isComplete && <Loading what="the queue" />}
      {item === undefined && isComplete && (
        <p class="desk-note">
          No pair is left{query.size > 0 ? ' with these filters' : ''}. <code>npm run link</code> finds new
          ones.
        </p>
      )}
      {item !== undefined && (
        <section aria-label="The pair">
          <p class="desk-why">
            {item.reason === 'gtin_conflict' && 'Both state the same GTIN. '}
            Your answer decides whether{' '}
            {item.effect > 2
              ? `these two and ${plural(item.effect - 2, 'other listing')} of their products`
              : 'these two listings'}{' '}
            are shown as one product or as two.
          </p>
          <ReviewedPair key={item.pair_id} item={item} />
        </section>
      )}
      {(item !== undefined || last !== undefined) && (
        <>
          <div class="desk-choices" role="group" aria-label="Decision">
            {item !== undefined &&
              CHOICES.map(({ decision, label, key }) => (
                <button
                  key={decision}
                  type="button"
                  class="button"
                  aria-keyshortcuts={hasKeys ? key : undefined}
                  onClick={() => decide(decision)}
                >
                  {label} {hasKeys && <kbd>{key.toUpperCase()}</kbd>}
                </button>
              ))}
            <button
              type="button"
              class="button"
              aria-keyshortcuts={hasKeys ? UNDO_KEY : undefined}
              disabled={last === undefined}
              onClick={undo}
            >
              Undo {hasKeys && <kbd>{UNDO_KEY.toUpperCase()}</kbd>}
            </button>
          </div>
          <KeySetting isOn={hasKeys} turn={turnKeys} />
        </>
      )}
      {history.length > 0 && <History of={history} />}
      <ApiRequests calls={[call]} />
    </>
  );
}
