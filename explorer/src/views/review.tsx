import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, askForKey, callApi, callRepeatedly } from '../api.js';
import { Failure, Loading, pictureOf, Sheet, useTitle } from '../components.js';
import { plural } from '../format.js';
import { viewUrl } from '../router.js';
import type { DecisionResults, ReviewItem, ReviewPage } from '../types.js';
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

/** The most decisions that the API takes at once. */
const BATCH = 100;

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
  const [note, setNote] = useState('');
  useTitle('Review');
  const pageUrl = (cursor: string) =>
    viewUrl('/v1/review', { ...filters, explain: 'true', include: 'picture', limit: PAGE, cursor });
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
  /** The decisions that are not sent yet, and the pairs of all that are not answered yet. */
  const unsent = useRef<Decided[]>([]);
  const unanswered = useRef(new Set<string>());
  const isUndecided = ({ pair_id }: ReviewItem): boolean => !unanswered.current.has(pair_id);
  const isComplete = completeAt === made.current;

  useEffect(() => {
    if (isComplete || queue.length > FEW || failure !== null) return;
    const abort = new AbortController();
    const { current: madeBefore } = made;
    const load = async () => {
      // Decisions may create pairs. While others are left, nobody waits for them.
      if (queue.length === 0) await requests.current;
      abort.signal.throwIfAborted();
      let cursor: string | null = '';
      let more: ReviewItem[] = [];
      // A page may consist of pairs of the queue, and of pairs with a listing that was withdrawn, which the API leaves out.
      while (cursor !== null && more.length === 0) {
        const page: ReviewPage = await callApi({ path: pageUrl(cursor) }, abort.signal);
        more = page.items.filter(isNotIn(queue)).filter(isUndecided);
        cursor = page.next_cursor;
        setOpen(Math.max(0, page.open - unanswered.current.size));
      }
      setQueue((rest) => [...rest, ...more.filter(isNotIn(rest)).filter(isUndecided)]);
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
      const picture = pictureOf(one);
      if (picture !== null) new Image().src = picture;
    }
  }, [next?.pair_id]);
  const change = ({ number }: Decided, to: Partial<Decided>) =>
    setHistory((all) => all.map((one) => (one.number === number ? { ...one, ...to } : one)));
  const count = (by: number) => setOpen((known) => (known === null ? null : Math.max(0, known + by)));
  /** The ids of the decisions that were answered; null for those that were rejected. */
  const decisionIds = useRef(new Map<number, string | null>());

  /** Sends all decisions that wait, in one request. The browser finishes it if the desk is left. */
  const send = async () => {
    const batch = unsent.current.splice(0, BATCH);
    if (batch.length === 0) return;
    const decisions = batch.map(({ item: { a, b }, decision, note: reason }) => ({
      a: String(a.id),
      b: String(b.id),
      decision,
      ...(reason !== '' && { note: reason }),
    }));
    try {
      const call: ApiCall = { path: '/v1/decisions', body: { decisions }, keepalive: true };
      const { results } = await callRepeatedly<DecisionResults>(call);
      batch.forEach((decided, at) => {
        const result = results[at] ?? null;
        decisionIds.current.set(decided.number, result?.decision_id ?? null);
        unanswered.current.delete(decided.item.pair_id);
        change(decided, { result });
      });
    } catch (error) {
      for (const decided of batch) {
        unanswered.current.delete(decided.item.pair_id);
        change(decided, {
          failure: `It may not be stored: ${(error as Error).message} The pair comes again.`,
        });
      }
      // They come at the end, so that the pair that is being read does not change.
      const again = batch.map(({ item: of }) => of);
      setQueue((rest) => [...rest, ...again.filter(isNotIn(rest))]);
      count(again.length);
    }
  };
  const decide = (decision: Choice) => {
    if (item === undefined) return;
    const decided: Decided = {
      number: (made.current += 1),
      item,
      decision,
      note: note.trim(),
      result: null,
      failure: null,
    };
    setNote('');
    unsent.current.push(decided);
    unanswered.current.add(item.pair_id);
    setQueue((rest) => rest.slice(1));
    count(-1);
    setHistory((all) => [decided, ...all.filter((one) => one.item.pair_id !== item.pair_id)]);
    void inOrder(send);
  };
  const last = history.find(({ undo: undone, failure: failed }) => undone === undefined && failed === null);
  const undo = () => {
    if (last === undefined) return;
    setQueue((rest) => [last.item, ...rest.filter(({ pair_id }) => pair_id !== last.item.pair_id)]);
    count(1);
    unanswered.current.delete(last.item.pair_id);
    if (unsent.current.includes(last)) {
      unsent.current = unsent.current.filter((one) => one !== last);
      return change(last, { undo: 'done' });
    }
    change(last, { undo: 'asked' });
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
  // What waits for the answer to an earlier decision is sent before the page is left.
  useEffect(() => {
    const leaving = () => void send();
    addEventListener('pagehide', leaving);
    return () => {
      removeEventListener('pagehide', leaving);
      leaving();
    };
  }, []);
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
        <a href="/review/decisions">All decisions</a>
      </header>
      <Rule />
      <div class="desk-tools">
        <Sheet label="Filters" done="Show the pairs">
          <QueueFilters query={query} />
        </Sheet>
      </div>
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
      {item === undefined && failure === null && !isComplete && <Loading what="the queue" lines={16} />}
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
          <label class="desk-note-field">
            Note to the next decision{' '}
            <input
              maxLength={500}
              autoComplete="off"
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
              onKeyDown={({ key, currentTarget }) => {
                if (key === 'Enter') currentTarget.blur();
              }}
            />
          </label>
          <KeySetting isOn={hasKeys} turn={turnKeys} />
        </>
      )}
      {history.length > 0 && <History of={history} />}
    </>
  );
}
