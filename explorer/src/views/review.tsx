import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, ApiFailure, askForKey, callApi, useApi, webAddress } from '../api.js';
import { ApiRequests, Failure, Loading, Picture, Tags, Text } from '../components.js';
import { money, percent, plural, sentence, shopName } from '../format.js';
import { navigate, viewUrl } from '../router.js';
import type { DecisionResults, Product, ReviewItem, ReviewPage, Sources } from '../types.js';
import './review.css';

type Choice = 'same' | 'different' | 'skip';

const CHOICES: { decision: Choice; label: string; key: string }[] = [
  { decision: 'same', label: 'Same product', key: 's' },
  { decision: 'different', label: 'Different', key: 'd' },
  { decision: 'skip', label: 'Skip', key: 'k' },
];
const UNDO_KEY = 'u';

const REASONS: Readonly<Record<ReviewItem['reason'], string>> = {
  uncertain: 'The matcher is uncertain',
  contradiction: 'They are one product today, although their comparison says otherwise',
  gtin_conflict: 'They share a GTIN, but their makers differ',
  large_group: 'The least likely pair of a large product',
};

/** A decision of this visit: the pair, what was decided, and what followed from it. */
interface Decided {
  item: ReviewItem;
  decision: Choice;
  result: DecisionResults['results'][number] | null;
  failure: Error | null;
  isUndone?: boolean;
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
  const change = (of: Decided, to: Partial<Decided>) =>
    setHistory((all) => all.map((one) => (one.item.pair_id === of.item.pair_id ? { ...one, ...to } : one)));
  const decide = async (decision: Choice) => {
    if (item === undefined) return;
    const decided: Decided = { item, decision, result: null, failure: null };
    setQueue((rest) => rest.slice(1));
    setOpen((known) => (known === null ? null : Math.max(0, known - 1)));
    setHistory((all) => [decided, ...all.filter((one) => one.item.pair_id !== item.pair_id)]);
    try {
      const decisions = [{ a: String(item.a.id), b: String(item.b.id), decision }];
      const { results } = await callApi<DecisionResults>({ path: '/v1/decisions', body: { decisions } });
      change(decided, { result: results[0] ?? null });
    } catch (error) {
      change(decided, { failure: error as Error });
    }
  };
  const undo = async () => {
    const last = history.find(({ isUndone, result }) => !isUndone && result?.decision_id);
    if (last === undefined) return;
    try {
      await callApi({ path: `/v1/decisions/${last.result?.decision_id}`, method: 'DELETE' });
      change(last, { isUndone: true });
      setQueue((rest) => [last.item, ...rest.filter(({ pair_id }) => pair_id !== last.item.pair_id)]);
      setOpen((known) => (known === null ? null : known + 1));
    } catch (error) {
      change(last, { failure: error as Error });
    }
  };
  useKeys((key) => {
    const choice = CHOICES.find((one) => one.key === key);
    if (choice !== undefined) void decide(choice.decision);
    if (key === UNDO_KEY) void undo();
  });

  const made = history.filter(({ isUndone, decision }) => !isUndone && decision !== 'skip').length;
  return (
    <>
      <header class="desk-head">
        <h1>Are these the same product?</h1>
        <p class="note" role="status">
          {open === null ? '' : `${plural(open, 'pair')} left`}
          {made > 0 ? ` · ${plural(made, 'decision')} in this tab` : ''}
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
        <section aria-label="The pair" key={item.pair_id}>
          <p class="desk-why">
            {REASONS[item.reason]}. The answer may change {plural(item.effect, 'listing')}.
          </p>
          <Pair item={item} />
          <div class="desk-choices" role="group" aria-label="Decision">
            {CHOICES.map(({ decision, label, key }) => (
              <button
                key={decision}
                type="button"
                class="button"
                aria-keyshortcuts={key}
                onClick={() => void decide(decision)}
              >
                {label} <kbd>{key.toUpperCase()}</kbd>
              </button>
            ))}
            <button
              type="button"
              class="button"
              aria-keyshortcuts={UNDO_KEY}
              disabled={!history.some(({ isUndone, result }) => !isUndone && result?.decision_id)}
              onClick={() => void undo()}
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

/** Two listings side by side, with the words and values marked that only one of them has. */
function Pair({ item: { a, b } }: { item: ReviewItem }) {
  const rows = rowsOf(a, b);
  return (
    <table class="desk-pair">
      <caption class="hidden">Two listings, and what they state</caption>
      <thead>
        <tr>
          <td />
          {[a, b].map((one, at) => (
            <th key={at} scope="col">
              <Picture url={one.image_url} name={one.name} brand={one.brand} />
              <span class="desk-shop">{shopName(one.source)}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Name</th>
          <td>
            <MarkedWords text={a.name} other={b.name} />
          </td>
          <td>
            <MarkedWords text={b.name} other={a.name} />
          </td>
        </tr>
        {rows.map(({ label, values, differs }) => (
          <tr key={label} class={differs ? 'differs' : undefined}>
            <th scope="row">{label}</th>
            {values.map((value, at) => (
              <td key={at}>{value === '' ? <span class="note">not stated</span> : <Text>{value}</Text>}</td>
            ))}
          </tr>
        ))}
        <tr>
          <th scope="row">Page</th>
          {[a, b].map((one, at) => (
            <td key={at}>
              <ShopPage listing={one} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function ShopPage({ listing: { buy_url, image_url } }: { listing: Product }) {
  const links = [
    ['At the shop', webAddress(buy_url)],
    ['Picture', webAddress(image_url)],
  ] as const;
  return (
    <>
      {links.map(([label, url]) =>
        url === null ? null : (
          <a key={label} class="desk-link" href={url} target="_blank" rel="noopener noreferrer nofollow">
            {label} <span aria-hidden="true">↗</span>
            <span class="hidden"> (opens a new tab)</span>
          </a>
        ),
      )}
    </>
  );
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A name in which the words are marked that the other name lacks. */
function MarkedWords({ text, other }: { text: string; other: string }) {
  const known = new Set(wordsOf(other));
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return (
    <Text class="desk-name">
      {parts.map((part, at) =>
        at % 2 === 1 && !known.has(part.toLowerCase()) ? <mark key={at}>{part}</mark> : part,
      )}
    </Text>
  );
}

const LONG = 600;
const short = (text: string): string => (text.length > LONG ? `${text.slice(0, LONG)} …` : text);

/** What both listings state, field by field; attributes come last. */
function rowsOf(a: Product, b: Product): { label: string; values: [string, string]; differs: boolean }[] {
  const attributes = [attributesOf(a), attributesOf(b)] as const;
  const names = [...new Set(attributes.flatMap((own) => [...own.keys()]))];
  // Prices, SKUs and texts of two shops differ almost always, so marking them would only distract.
  const marked = new Set(['Brand', ...names.map(sentence)]);
  const fields: [string, (one: Product) => string][] = [
    ['Price', ({ price, currency }) => (price === null ? '' : money(price, currency))],
    ['Brand', ({ brand }) => brand ?? ''],
    [
      'Category',
      ({ category, category_path: path }) => (path.length > 0 ? path.join(' > ') : (category ?? '')),
    ],
    ['SKU', ({ sku }) => sku],
    ['Description', ({ description }) => short(description ?? '')],
  ];
  const rows = [
    ...fields.map(([label, read]): [string, string, string] => [label, read(a), read(b)]),
    ...names.map((name): [string, string, string] => [
      sentence(name),
      short(attributes[0].get(name) ?? ''),
      short(attributes[1].get(name) ?? ''),
    ]),
  ];
  const same = (one: string, other: string) => wordsOf(one).join(' ') === wordsOf(other).join(' ');
  return rows
    .filter(([, one, other]) => one !== '' || other !== '')
    .map(([label, one, other]) => ({
      label,
      values: [one, other],
      differs: marked.has(label) && one !== '' && other !== '' && !same(one, other),
    }));
}

function attributesOf({ metadata }: Product): Map<string, string> {
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  return new Map(
    Object.entries(isObject ? metadata : {}).flatMap(([name, value]) =>
      value === null ? [] : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]],
    ),
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

function outcomeOf({ decision, result, failure, isUndone }: Decided): string {
  if (isUndone) return 'Undone.';
  if (failure !== null) return `It was not stored: ${failure.message}`;
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
  item: { score, match_reasons: reasons = [], contradictions = [] },
}: {
  item: ReviewItem;
}) {
  if (score === undefined) return null;
  return (
    <div class="desk-opinion">
      <span class="note">The matcher: {percent(score)} the same</span>
      {reasons.length > 0 && <Tags of={reasons} kind="good" />}
      {contradictions.length > 0 && <Tags of={contradictions} kind="bad" />}
    </div>
  );
}
