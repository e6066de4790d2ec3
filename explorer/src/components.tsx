import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiCall, asCurl, mayPass, ownPicture, webAddress } from './api.js';
import { currentKey, isDemoKey, keepKey } from './settings.js';
import { money, words } from './format.js';

/** Text of a listing. The direction is isolated, so that marks in it cannot turn the text around it. */
export const Text = ({ children, class: name }: { children: ComponentChildren; class?: string }) => (
  <bdi class={name}>{children}</bdi>
);

/** The picture of a listing, or the first letter of its brand if the picture is on another host. */
export function Picture({ url, name, brand }: { url: string | null; name: string; brand: string | null }) {
  const own = ownPicture(url);
  const [isBroken, setBroken] = useState(false);
  return (
    <span class="picture">
      {own !== null && !isBroken ? (
        <img src={own} alt="" loading="lazy" onError={() => setBroken(true)} />
      ) : (
        <span class="letter" aria-hidden="true">
          {Array.from((brand ?? name).trim())[0] ?? '?'}
        </span>
      )}
    </span>
  );
}

export function Rating({ rating }: { rating: string | null }) {
  if (rating === null) return null;
  return (
    <span class="rating">
      <span aria-hidden="true">★</span> {Number(rating).toFixed(1)} <span class="hidden">of 5</span>
    </span>
  );
}

export const Stock = ({ isAvailable }: { isAvailable: boolean | null }) => (
  <span class={`stock ${isAvailable === false ? 'out' : isAvailable ? 'in' : ''}`}>
    {isAvailable === null ? 'Stock unknown' : isAvailable ? 'In stock' : 'Out of stock'}
  </span>
);

export const Price = ({ price, currency }: { price: string | null; currency: string | null }) => (
  <span class="price">{money(price, currency)}</span>
);

/** A link to the shop of a listing, which opens a tab of its own. */
export function ShopLink({ url, children }: { url: string | null; children: ComponentChildren }) {
  const address = webAddress(url);
  if (address === null) return null;
  return (
    <a class="button" href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children} <span aria-hidden="true">↗</span>
      <span class="hidden"> (opens a new tab)</span>
    </a>
  );
}

export const Tags = ({ of, kind = '' }: { of: readonly string[]; kind?: string }) => (
  <ul class={`tags ${kind}`}>
    {of.map((one) => (
      <li key={one}>{words(one)}</li>
    ))}
  </ul>
);

export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    Loading {what} …
  </p>
);

/** Why a request failed. A request that may succeed later can be repeated: the address has the whole state of a view. */
export const Failure = ({ error }: { error: Error }) => (
  <div class="failure" role="alert">
    {error.message}{' '}
    {mayPass(error) && (
      <button type="button" class="button" onClick={() => location.reload()}>
        Try again
      </button>
    )}
  </div>
);

/** The requests behind a view, each of which can be copied as a command line. */
export function ApiRequests({ calls }: { calls: readonly (ApiCall | null)[] }) {
  const shown = calls.filter((call) => call !== null);
  if (shown.length === 0) return null;
  return (
    <details class="api">
      <summary>
        API {shown.length === 1 ? 'request' : 'requests'} <span class="count">{shown.length}</span>
      </summary>
      <ul>
        {shown.map((call) => (
          <li key={call.path + JSON.stringify(call.body)}>
            <code>
              {call.body === undefined ? 'GET' : 'POST'} {decoded(call.path)}
            </code>
            <CopyButton text={asCurl(call)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path.replaceAll('+', ' '));
  } catch {
    return path;
  }
};

function CopyButton({ text }: { text: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'shown'>('idle');
  // Pages that are not loaded over https from another machine have no clipboard.
  const copy = () =>
    navigator.clipboard?.writeText(text).then(
      () => setState('copied'),
      () => setState('shown'),
    ) ?? setState('shown');
  return (
    <>
      <button type="button" class="quiet" data-curl={text} onClick={() => void copy()}>
        Copy as curl
      </button>
      <span role="status" class="note">
        {state === 'copied' ? 'Copied' : ''}
      </span>
      {state === 'shown' && <textarea readOnly aria-label="curl command" value={text} rows={3} />}
    </>
  );
}

/** The dialog in which a key is pasted. It is kept for this tab only. */
export function KeyDialog({ isOpen, close }: { isOpen: boolean; close(hasChanged: boolean): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState('');
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  const keep = (given: string | null) => {
    keepKey(given);
    setKey('');
    close(true);
  };
  return (
    // Not the `close` event: it comes late, and would close a dialog that was opened again in the meantime.
    <dialog ref={dialog} onCancel={() => close(false)} aria-labelledby="key-title">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          keep(key.trim() === '' ? null : key.trim());
        }}
      >
        <h2 id="key-title">API key</h2>
        <p>
          {isDemoKey()
            ? 'This demo has a key of its own, so you need none. A key that you paste replaces it.'
            : 'The explorer asks the API, which needs a key. It is kept for this browser tab only.'}
        </p>
        <label>
          Key
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <p class="actions">
          <button type="submit" class="button primary">
            Use this key
          </button>
          {currentKey() !== null && !isDemoKey() && (
            <button type="button" class="button" onClick={() => keep(null)}>
              Forget the key
            </button>
          )}
          <button type="button" class="button" onClick={() => close(false)}>
            Close
          </button>
        </p>
      </form>
    </dialog>
  );
}
