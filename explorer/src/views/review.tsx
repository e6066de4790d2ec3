import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, askForKey, callApi, useApi } from '../api.js';
import { ApiRequests, Failure, Loading, Tags, Text } from '../components.js';
import { percent, plural, sentence, shopName } from '../format.js';
import { navigate, viewUrl } from '../router.js';
import type { DecisionResults, ReviewItem, ReviewPage, Sources } from '../types.js';
import './review.css';
import { Pair } from './review-pair.js';

type Choice = 'same' | 'different' | 'skip';

const CHOICES: { decision: Choice; label: string; key: string }[] = [
  { decision: 'same', label: 'Same product', key: 's' },
  { decision: 'different', label: 'Different', key: 'd' },
  { decision: 'skip', label: 'Skip', key: 'k' },
];
const UNDO_KEY = 'u';

/** Why the matcher asks. It is shown after the decision, because it tells what the matcher believes. */
const REASONS: Readonly<Record<ReviewItem['reason'], string>> = {
  uncertain: 'The matcher was uncertain',
  contradiction: 'They were one product, although their comparison says otherwise',
  gtin_conflict: 'They share a GTIN, but their makers differ',
  large_group: 'The least likely pair of a large product',
};

/** A decision of this visit: the pair, what was decided, and what followed from it. */
interface Decided {
  /** Tells decisions of this visit apart, because a pair can be decided again after an undo. */
  number: number;
  item: ReviewItem;
  decision: Choice;
  result: DecisionResults['results'][number] | null;
  /** What went wrong, in a sentence. */
  failure: string | null;
  undo?: 'asked' | 'done';
}

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
  const call: ApiCall = { path: viewUrl('/v1/review', { ...filters, limit: PAGE, cursor }) };
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

  const [item] = queue;
  const change = ({ number }: Decided, to: Partial<Decided>) =>
    setHistory((all) => all.map((one) => (one.number === number ? { ...one, ...to } : one)));
  const count = (by: number) => setOpen((known) => (known === null ? null : Math.max(0, known + by)));
  // Requests are sent one after the other, so that an undo follows the decision that it is about.
  const requests = useRef<Promise<void>>(Promise.resolve());
  const inOrder = (work: () => Promise<void>) => (requests.current = requests.current.then(work));
  const made = useRef(0);
  const decisionIds = useRef(new Map<number, string>());

  const decide = (decision: Choice) => {
    if (item === undefined) return;
    const decided: Decided = { number: (made.current += 1), item, decision, result: null, failure: null };
    setQueue((rest) => rest.slice(1));
    count(-1);
    setHistory((all) => [decided, ...all.filter((one) => one.item.pair_id !== item.pair_id)]);
    void inOrder(async () => {
      try {
        const decisions = [{ a: String(item.a.id), b: String(item.b.id), decision }];
        const { results } = await callApi<DecisionResults>({ path: '/v1/decisions', body: { decisions } });
        const [result = null] = results;
        if (result?.decision_id) decisionIds.current.set(decided.number, result.decision_id);
        change(decided, { result });
      } catch (error) {
        change(decided, { failure: `It was not stored: ${(error as Error).message} The pair comes again.` });
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
        // A decision that was not stored needs no undo.
        if (id !== undefined) await callApi({ path: `/v1/decisions/${id}`, method: 'DELETE' });
        change(last, { undo: 'done' });
      } catch (error) {
        change(last, { failure: `It was not undone: ${(error as Error).message}` });
      }
    });
  };
  useKeys((key) => {
    const choice = CHOICES.find((one) => one.key === key);
    if (choice !== undefined) decide(choice.decision);
    if (key === UNDO_KEY) undo();
  });

  const stored = history.filter(
    ({ undo: undone, failure: failed, decision }) =>
      undone === undefined && failed === null && decision !== 'skip',
  ).length;
  return (
    <>
      <header class="desk-head">
        <h1>Are these the same product?</h1>
        <p class="note" role="status">
          {open === null ? '' : `${plural(open, 'pair')} left`}
          {stored > 0 ? ` · ${plural(stored, 'decision')} in this tab` : ''}
        </p>
      </header>
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
            The answer may change {plural(item.effect, 'listing')}.
          </p>
          <Pair key={item.pair_id} item={item} />
          <div class="desk-choices" role="group" aria-label="Decision">
            {CHOICES.map(({ decision, label, key }) => (
              <button
                key={decision}
                type="button"
                class="button"
                aria-keyshortcuts={key}
                onClick={() => decide(decision)}
              >
                {label} <kbd>{key.toUpperCase()}</kbd>
              </button>
            ))}
            <button
              type="button"
              class="button"
              aria-keyshortcuts={UNDO_KEY}
              disabled={last === undefined}
              onClick={undo}
            >
              Undo <kbd>{UNDO_KEY.toUpperCase()}</kbd>
            </button>
          </div>
        </section>
      )}
      {history.length > 0 && <History of={history} />}
      <ApiRequests calls={[call]} />
    </>
  );
}

/** Calls a function with each key that is pressed outside of fields and without a modifier. */
function useKeys(press: (key: string) => void): void {
  const latest = useRef(press);
  latest.current = press;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const { target } = event;
      if (target instanceof Element && target.closest('input, select, textarea, dialog') !== null) return;
      latest.current(event.key.toLowerCase());
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

function QueueFilters({ query }: { query: URLSearchParams }) {
  const { data } = useApi<Sources>({ path: '/v1/sources' });
  const set = (name: string, value: string) =>
    navigate(viewUrl('/review', { ...Object.fromEntries(query), [name]: value }), { replace: true });
  const chosen = (name: string) => query.get(name) ?? '';
  return (
    <div class="desk-filters">
      <label>
        Why{' '}
        <select value={chosen('reason')} onChange={(event) => set('reason', event.currentTarget.value)}>
          <option value="">any reason</option>
          {Object.keys(REASONS).map((reason) => (
            <option key={reason} value={reason}>
              {sentence(reason)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Shop{' '}
        <select value={chosen('source')} onChange={(event) => set('source', event.currentTarget.value)}>
          <option value="">any shop</option>
          {(data?.sources ?? []).map(({ code: source }) => (
            <option key={source} value={source}>
              {shopName(source)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Category{' '}
        <input
          value={chosen('category')}
          placeholder="any category"
          onChange={(event) => set('category', event.currentTarget.value.trim())}
        />
      </label>
      <label class="desk-check">
        <input
          type="checkbox"
          checked={query.get('decided') === 'true'}
          onChange={(event) => set('decided', event.currentTarget.checked ? 'true' : '')}
        />{' '}
        Decided by others
      </label>
      <a href="/review/decisions">All decisions</a>
    </div>
  );
}

const SHOWN_DECISIONS = 8;

/** The decisions of this visit, with what followed from them, and the matcher's opinion of these pairs. */
function History({ of }: { of: Decided[] }) {
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
  if (decision === 'skip') return 'The pair is no longer in your queue.';
  if (result === null) return 'Being stored …';
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
        The matcher: {percent(score)} the same. {REASONS[reason]}.
      </span>
      {reasons.length > 0 && <Tags of={reasons} kind="good" />}
      {contradictions.length > 0 && <Tags of={contradictions} kind="bad" />}
    </div>
  );
}
