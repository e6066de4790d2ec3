import { useId, useRef, useState } from 'preact/hooks';
import { readAmount } from '../amount.js';
import { type ApiCall, callApi, useApi } from '../api.js';
import { Failure, Loading, Price, Text, useModal, useTitle } from '../components.js';
import { dateTime, money, plural, shopName, words } from '../format.js';
import type { Alert, AlertEvent, LookupResults, Product } from '../types.js';

/** A button that watches the lowest price of a product: it creates an alert, whose events `WatchedView` shows. */
export function WatchPrice({ id, price, currency }: { id: number; price: string; currency: string }) {
  const { open, close, members } = useModal();
  const [limit, setLimit] = useState(price);
  const [state, setState] = useState<'idle' | 'sending' | 'watched' | Error>('idle');
  const [problem, setProblem] = useState<string | null>(null);
  const ids = useId();
  const closeButton = useRef<HTMLButtonElement>(null);
  const problemOf = (wanted: number): string | null => {
    if (wanted <= 0) return 'Write a price above zero.';
    return wanted > Number(price) ? `It costs less already: ${money(price, currency)}.` : null;
  };
  const watch = async () => {
    const typed = readAmount(limit);
    const wrong = typed.problem ?? problemOf(Number(typed.amount));
    setProblem(wrong);
    if (typed.amount === null || wrong !== null) return;
    setState('sending');
    const when = { price_below: typed.amount, currency };
    try {
      await callApi({ path: '/v1/alerts', body: { product_id: id, scope: 'product', when } });
      setLimit(typed.amount);
      setState('watched');
      closeButton.current?.focus();
    } catch (error) {
      setState(error as Error);
    }
  };
  const isWatched = state === 'watched';
  return (
    <div class="watch">
      <button type="button" class="button" aria-haspopup="dialog" onClick={open}>
        {isWatched ? 'Watching' : 'Watch price'}
      </button>
      <dialog {...members} aria-labelledby={`${ids}-title`}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void watch();
          }}
        >
          <h2 id={`${ids}-title`}>Watch price</h2>
          {!isWatched && (
            <label>
              <span>Tell me when it costs less than {currency}</span>
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
          )}
          {problem !== null && (
            <p id={`${ids}-problem`} class="problem" role="alert">
              {problem}
            </p>
          )}
          <p role="status">
            {isWatched && (
              <>
                Watched. The page of <a href="/explore/watched">watched prices</a> shows when it costs less
                than {money(limit, currency)}.
              </>
            )}
          </p>
          {state instanceof Error && <Failure error={state} retry={() => void watch()} />}
          <p class="actions">
            {!isWatched && (
              <button key="watch" type="submit" class="button primary" disabled={state === 'sending'}>
                Watch
              </button>
            )}
            <button key="close" ref={closeButton} type="button" class="button" onClick={close}>
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
    identifiers.length === 0 ? null : { path: '/v1/lookup', body: { identifiers, limit: 1 } },
  );
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
          <Watched key={alert.alert_id} alert={alert} listing={names.data?.results[at]?.items[0] ?? null} />
        ))}
      </ul>
    </>
  );
}

function Watched({
  alert: { alert_id: id, product_id: product, when, state },
  listing,
}: {
  alert: Alert;
  /** The listing from whose page the product is watched. */
  listing: Product | null;
}) {
  const name = listing?.name ?? null;
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
      </p>
      {listing !== null && (
        <p class="note">
          Now <Price price={listing.price} currency={listing.currency} /> at {shopName(listing.source)}
        </p>
      )}
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
