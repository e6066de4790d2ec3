import { useState } from 'preact/hooks';
import { type ApiCall, callApi, useApi } from '../api.js';
import { Failure, Loading, Text, useTitle } from '../components.js';
import { dateTime, money, plural } from '../format.js';
import type { Alert, AlertEvent, LookupResults } from '../types.js';

/** Shows the whole form, which opens at the end of a small screen. */
const scrollIntoView = (form: HTMLFormElement | null): void => form?.scrollIntoView({ block: 'nearest' });

/** A button that watches the lowest price of a product: it creates an alert, whose events `WatchedView` shows. */
export function WatchPrice({ id, price, currency }: { id: number; price: string; currency: string }) {
  const [isOpen, setOpen] = useState(false);
  const [limit, setLimit] = useState(price);
  const [state, setState] = useState<'idle' | 'sending' | 'watched' | Error>('idle');
  const watch = async () => {
    setState('sending');
    const when = { price_below: limit.trim(), currency };
    try {
      await callApi({ path: '/v1/alerts', body: { product_id: id, scope: 'product', when } });
      setState('watched');
    } catch (error) {
      setState(error as Error);
    }
  };
  return (
    <div class="watch">
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Watch price
      </button>
      {isOpen && (
        <form
          ref={scrollIntoView}
          onSubmit={(event) => {
            event.preventDefault();
            void watch();
          }}
        >
          <label>
            <span>Tell me when it costs less than {currency}</span>
            <input
              inputMode="decimal"
              autoComplete="off"
              maxLength={16}
              value={limit}
              onInput={({ currentTarget }) => setLimit(currentTarget.value)}
            />
          </label>
          <button type="submit" class="button primary" disabled={state === 'sending'}>
            Watch
          </button>
          <span role="status">
            {state === 'watched' && (
              <>
                Watched. The page of <a href="/explore/watched">watched prices</a> shows what happens.
              </>
            )}
          </span>
          {state instanceof Error && <Failure error={state} retry={() => void watch()} />}
        </form>
      )}
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
      {data?.total === 0 && <p>No price is watched. “Watch price” on the page of a product begins to.</p>}
      <ul class="watched">
        {(data?.items ?? []).map((alert, at) => (
          <Watched
            key={alert.alert_id}
            alert={alert}
            name={names.data?.results[at]?.items[0]?.name ?? null}
          />
        ))}
      </ul>
    </>
  );
}

function Watched({
  alert: { alert_id: id, product_id: product, when, state },
  name,
}: {
  alert: Alert;
  name: string | null;
}) {
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
        {condition} <span class="note">{state}</span>
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
