import { useId, useState } from 'preact/hooks';
import { readAmount } from '../amount.js';
import { type ApiCall, callApi, useApi } from '../api.js';
import { Failure, Loading, Text, useModal, useTitle } from '../components.js';
import { dateTime, money, plural, words } from '../format.js';
import { currentKey } from '../settings.js';
import { LowestPrice, useOtherOffers } from './other-offers.js';
import { named, plainName } from './product-title.js';
import type { Alert, AlertEvent, LookupResults, Product } from '../types.js';

/** The most alerts that one request returns. */
const MOST = 1_000;

/** Watches the lowest price of a product: by an alert, whose events `WatchedView` shows. */
export function WatchPrice({
  id,
  offers,
  price,
  currency,
}: {
  id: number;
  /** The listings of the product, from each of whose pages it may have been watched. */
  offers: readonly number[];
  /** The lowest price, to which alerts add no delivery. */
  price: string;
  currency: string;
}) {
  const { open, close, members } = useModal();
  const [limit, setLimit] = useState(price);
  const [state, setState] = useState<'idle' | 'sending' | Error>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  /** The alerts on the product after one of them was created or deleted here. */
  const [changed, setChanged] = useState<readonly Alert[] | null>(null);
  const ids = useId();
  // There is no list of the alerts on one product.
  const { data } = useApi<{ items: Alert[] }>(
    currentKey() === null ? null : { path: `/v1/alerts?limit=${MOST}` },
  );
  const isOnPrice = ({ product_id: listing, scope, state: stateOf, when }: Alert) =>
    when.price_below !== undefined &&
    stateOf !== 'expired' &&
    (scope === 'product' ? offers.includes(listing) : listing === id);
  const alerts = changed ?? data?.items.filter(isOnPrice) ?? [];
  const watched = alerts.at(-1);
  const problemOf = (wanted: number): string | null => {
    if (wanted <= 0) return 'Write a price above zero.';
    return wanted > Number(price) ? `It costs less already: ${money(price, currency)}.` : null;
  };
  const send = (call: ApiCall, after: (answer: Alert) => readonly Alert[]) => {
    setState('sending');
    callApi<Alert>(call).then((answer) => {
      setChanged(after(answer));
      setState('idle');
      close();
    }, setState);
  };
  const watch = () => {
    const typed = readAmount(limit);
    const wrong = typed.problem ?? problemOf(Number(typed.amount));
    setProblem(wrong);
    if (typed.amount === null || wrong !== null) return;
    const when = { price_below: typed.amount, currency };
    send({ path: '/v1/alerts', body: { product_id: id, scope: 'product', when } }, (created) => [
      ...alerts,
      created,
    ]);
  };
  const stop = ({ alert_id: alert }: Alert) =>
    send({ path: `/v1/alerts/${alert}`, method: 'DELETE' }, () =>
      alerts.filter((one) => one.alert_id !== alert),
    );
  const failure = state instanceof Error && (
    <Failure error={state} retry={watched ? () => stop(watched) : watch} />
  );
  return (
    <div class="watch">
      <button
        type="button"
        class="button"
        aria-haspopup={watched ? undefined : 'dialog'}
        disabled={state === 'sending'}
        onClick={watched ? () => stop(watched) : open}
      >
        {watched ? 'Stop watching' : 'Watch price'}
      </button>
      <span role="status">
        {watched && (
          <a class="note" href="/explore/watched">
            Watching below {money(watched.when.price_below, watched.when.currency)}
            {watched.state === 'paused' && ' (paused)'}
          </a>
        )}
      </span>
      {watched && failure}
      <dialog {...members} aria-labelledby={`${ids}-title`}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            watch();
          }}
        >
          <h2 id={`${ids}-title`}>Watch price</h2>
          <label>
            <span>Show me under “Watched” when it costs less than {currency}</span>
            <input
              inputMode="decimal"
              autoComplete="off"
              maxLength={16}
              value={limit}
              aria-invalid={problem !== null}
              aria-describedby={problem === null ? undefined : `${ids}-problem`}
              onInput={({ currentTarget }) => setLimit(currentTarget.value)}
            />
          </label>
          {problem !== null && (
            <p id={`${ids}-problem`} class="problem" role="alert">
              {problem}
            </p>
          )}
          {!watched && failure}
          <p class="actions">
            <button type="submit" class="button primary" disabled={state === 'sending'}>
              Watch
            </button>
            <button type="button" class="button" onClick={close}>
              Close
            </button>
          </p>
        </form>
      </dialog>
    </div>
  );
}

const SHOWN = 50;

/** The watched prices: what is watched, and what has happened. */
export function WatchedView() {
  const call: ApiCall = { path: `/v1/alerts?limit=${SHOWN}` };
  const { data, failure } = useApi<{ items: Alert[]; total: number }>(call);
  useTitle('Watched prices');
  const identifiers = (data?.items ?? []).map(({ product_id: id }) => ({ type: 'id', value: String(id) }));
  const names = useApi<LookupResults>(
    identifiers.length === 0
      ? null
      : { path: '/v1/lookup', body: { identifiers, limit: 1, include: ['condition', 'flags'] } },
  );
  const listings = (names.data?.results ?? []).map(({ items: [listing] }) => listing ?? null);
  const othersOf = useOtherOffers(listings.filter((listing) => listing !== null));
  return (
    <>
      <h1>Watched prices</h1>
      <p class="note lede">
        Everybody with the same key sees these. <a href="/docs">The API</a> can also send them to a webhook.
      </p>
      {failure !== null && <Failure error={failure} />}
      {data === null && failure === null && <Loading what="the watched prices" lines={6} />}
      {data?.total === 0 && <p>No price is watched yet. Open a product and press “Watch price”.</p>}
      <ul class="watched">
        {(data?.items ?? []).map((alert, at) => (
          <Watched
            key={alert.alert_id}
            alert={alert}
            listing={listings[at] ?? null}
            others={alert.scope === 'product' && listings[at] ? othersOf(listings[at]) : []}
          />
        ))}
      </ul>
    </>
  );
}

function Watched({
  alert: { alert_id: id, product_id: product, when, state },
  listing,
  others,
}: {
  alert: Alert;
  /** The listing from whose page the product is watched. */
  listing: Product | null;
  /** The other offers of the product if it is watched as a whole. */
  others: readonly Product[];
}) {
  const name = listing && plainName(named(listing, others).name);
  const { data, failure } = useApi<{ items: AlertEvent[] }>({ path: `/v1/alerts/${id}/events?limit=5` });
  const [outcome, setOutcome] = useState<string | null>(null);
  const condition = Object.entries(when)
    .filter(([member]) => member !== 'currency')
    .map(([member, value]) =>
      member === 'price_below'
        ? `below ${money(String(value), String(when['currency']))}`
        : `${member.replaceAll('_', ' ')} ${String(value)}`,
    )
    .join(', ');
  const remove = () =>
    callApi({ path: `/v1/alerts/${id}`, method: 'DELETE' }).then(
      () => setOutcome('Not watched any more.'),
      ({ message }: Error) => setOutcome(message),
    );
  return (
    <li class="panel">
      <h2>
        <a href={`/explore/products/${product}`}>
          <Text>{name ?? `Product ${product}`}</Text>
        </a>
      </h2>
      <p>
        {condition}
        {state !== 'active' && <span class="note"> {words(state)}</span>}
        {listing !== null && (
          <span class="note">
            {' '}
            · now <LowestPrice listing={listing} others={others} />
          </span>
        )}
      </p>
      {failure !== null && <Failure error={failure} />}
      {data !== null && (
        <p class="note">
          {data.items.length === 0 ? 'Nothing has happened yet.' : plural(data.items.length, 'event')}
        </p>
      )}
      <ul>
        {(data?.items ?? []).map(({ event_id: event, timestamp, data: { product: offer } }) => (
          <li key={event}>
            {dateTime(timestamp)}: {offer === null ? 'it fired' : money(offer.price, offer.currency)}
          </li>
        ))}
      </ul>
      <p class="actions" role="status">
        {outcome ?? (
          <button type="button" class="quiet" onClick={() => void remove()}>
            Stop watching<span class="hidden"> {name}</span>
          </button>
        )}
      </p>
    </li>
  );
}
