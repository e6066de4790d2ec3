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
import { Pair } from './review-pair.js';
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

/** The desk at which people judge whether two listings are the same product. */
export function ReviewView({ query }: { query: URLSearchParams }) {
  const filters = {
    reason: query.get('reason'),
    source: query.get('source'),
    category: query.get('category'),
    decided: query.get('decided'),
  };
  const [queue, setQueue] = useState<ReviewItem[]>([]);
  const [cursor, setCursor] = useState<string | null>('');
  const [open, setOpen] = useState<number | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [history, setHistory] = useState<Decided[]>([]);
  const call: ApiCall = { path: viewUrl('/v1/review', { ...filters, explain: 'true', limit: PAGE, cursor }) };
  const filterKey = JSON.stringify(filters);

  useEffect(() => {
    setQueue([]);
    setOpen(null);
    setCursor('');
    setFailure(null);
  }, [filterKey]);

  useEffect(() => {
    if (cursor === null || queue.length > FEW || failure !== null) return;
    const abort = new AbortController();
    callApi<ReviewPage>(call, abort.signal).then(
      (page) => {
        setQueue((rest) => [
          ...rest,
          ...page.items.filter(({ pair_id }) => rest.every((one) => one.pair_id !== pair_id)),
        ]);
        setCursor(page.next_cursor);
        setOpen((known) => known ?? page.open);
      },
      (error: Error) => {
        if (!abort.signal.aborted) setFailure(error);
      },
    );
    return () => abort.abort();
  }, [call.path, queue.length <= FEW, failure]);

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
  // Requests are sent one after the other, so that an undo follows the decision that it is about.
  const requests = useRef<Promise<void>>(Promise.resolve());
  const inOrder = (work: () => Promise<void>) => (requests.current = requests.current.then(work));
  const made = useRef(0);
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
      {item === undefined && failure === null && cursor !== null && <Loading what="the queue" />}
      {item === undefined && cursor === null && (
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
          <Pair key={item.pair_id} item={item} />
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
