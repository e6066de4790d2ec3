import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, asCurl, mayPass, ownAddress, useRequests, webAddress } from './api.js';
import { currentKey, isDemoKey, keepKey } from './settings.js';
import { NAME } from '../../src/http/site-header.js';
import type { Deal } from './types.js';
import { money, reduction, shopName, words } from './format.js';

/** Text of a listing. The direction is isolated, so that marks in it cannot turn the text around it. */
export const Text = ({ children, class: name }: { children: ComponentChildren; class?: string }) => (
  <bdi class={name}>{children}</bdi>
);

/** What is known of a listing that has a picture, perhaps. */
export interface Pictured {
  /** The path of the stored picture. */
  picture?: string | null;
  image_url: string | null;
  name: string;
  brand: string | null;
}

/** The address of the picture of a listing at this service; null if it has none. */
export const pictureOf = ({ picture, image_url }: Pick<Pictured, 'picture' | 'image_url'>): string | null =>
  picture ?? ownAddress(image_url);

/** The picture of a listing, or the first letter of its brand if this service has none. */
export function Picture({ of }: { of: Pictured }) {
  const { name, brand } = of;
  const own = pictureOf(of);
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

/** A text whose end is shown on demand if it is longer than `long` characters. */
export function Shortened({ text, long }: { text: string; long: number }) {
  const [isWhole, setWhole] = useState(text.length <= long * 1.2);
  if (isWhole) return <Text>{text}</Text>;
  return (
    <>
      <Text>{text.slice(0, long)} …</Text>{' '}
      <button type="button" class="quiet" onClick={() => setWhole(true)}>
        Show all
      </button>
    </>
  );
}

/** The rating of a listing, or the range of several. @param at the shop that it is about, unless that is obvious. */
export function Rating({
  rating,
  to = rating,
  at,
}: {
  rating: string | null;
  to?: string | null;
  at?: string | undefined;
}) {
  if (rating === null) return null;
  const [from, until] = [rating, to].map((one) => Number(one).toFixed(1));
  return (
    <span class="rating">
      <span aria-hidden="true">★</span> {from === until ? from : `${from} to ${until}`}{' '}
      <span class="hidden">of 5</span>
      {at !== undefined && <span class="note"> at {shopName(at)}</span>}
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

/** By how many percent a price is lower than another one of its shop; nothing if it is less than one. */
export const Reduction = ({ percent, than }: { percent: number; than: string }) =>
  percent < 1 ? null : (
    <>
      <strong>{reduction(percent)} %</strong> below {than}
    </>
  );

/** By how much the price of a deal is lower than the earlier prices of its shop, or than the one that the shop states. */
export const DealReduction = ({ of }: { of: Deal }) => (
  <Reduction
    percent={of.discount_pct}
    than={
      of.price_basis === 'observed'
        ? `this shop’s usual price of ${money(of.original_price, null)}`
        : `the ${money(of.original_price, null)} that this shop states`
    }
  />
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

/** A choice of one value. An option without a label shows its value. */
export const Select = ({
  value,
  options,
  set,
}: {
  value: string | number;
  options: readonly (readonly [value: string | number, label?: string])[];
  set(value: string): void;
}) => (
  <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
    {options.map(([one, label = one]) => (
      <option key={one} value={one}>
        {label}
      </option>
    ))}
  </select>
);

/** The head of a table: the kind of each column by its title. A `hidden` title is read to those who cannot see the table. */
export const Head = ({ of }: { of: Readonly<Record<string, 'text' | 'number' | 'hidden'>> }) => (
  <thead>
    <tr>
      {Object.entries(of).map(([title, kind]) => (
        <th key={title} scope="col" class={kind === 'number' ? kind : undefined}>
          {kind === 'hidden' ? <span class="hidden">{title}</span> : title}
        </th>
      ))}
    </tr>
  </thead>
);

/** Lines in place of what is loaded, as many as it will have, so that nothing below it moves. */
export const Loading = ({ what, lines = 3 }: { what: string; lines?: number }) => (
  <div class="loading" role="status">
    <span class="hidden">Loading {what} …</span>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} class="bar" />
    ))}
  </div>
);

/** Cards in place of those that are loaded. */
export const CardSkeletons = ({ cards = 12 }: { cards?: number }) => (
  <>
    {Array.from({ length: cards }, (_, card) => (
      <li key={card} class="card loading" aria-hidden="true">
        <span class="picture" />
        <div class="card-body">
          <span class="bar" />
          <span class="bar" />
          <span class="bar" />
        </div>
      </li>
    ))}
  </>
);

/** Sends the requests of the view that is shown again; `main.tsx` listens. */
const retryView = () => void dispatchEvent(new Event('viewretry'));

/** Why a request failed. It can be repeated, by default with the others of the view, and is when the browser is connected again. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const again = retry ?? retryView;
  useEffect(() => {
    if (!(error instanceof ApiFailure) || error.status !== 0) return;
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [error]);
  return (
    <div class="failure" role="alert">
      {error.message}{' '}
      {(retry !== undefined || mayPass(error)) && (
        <button type="button" class="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Names the tab after what it shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${NAME}`;
  }, [title]);
}

/** A modal dialog that closes by Escape, by its own buttons, by going back, and by a tap beside it, which does nothing else. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  useEffect(() => {
    addEventListener('popstate', close);
    return () => removeEventListener('popstate', close);
  }, []);
  return {
    open: () => dialog.current?.showModal(),
    close,
    members: {
      ref: dialog,
      onClick: ({ target, currentTarget, clientX: x, clientY: y }: TargetedMouseEvent<HTMLDialogElement>) => {
        const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
        if (target === currentTarget && (x < left || x > right || y < top || y > bottom)) close();
      },
    },
  };
}

/** A column of filters on wide screens, and on narrow ones a button that opens them as a sheet over the view. */
export function Sheet({
  label,
  done,
  children,
}: {
  label: string;
  /** The label of the button that closes the sheet. */
  done: string;
  children: ComponentChildren;
}) {
  const { open, close, members } = useModal();
  useEffect(() => {
    const wide = matchMedia('(min-width: 60rem)');
    wide.addEventListener('change', close);
    return () => wide.removeEventListener('change', close);
  }, []);
  return (
    <>
      <button type="button" class="button unfold" aria-haspopup="dialog" onClick={open}>
        {label}
      </button>
      <dialog {...members} class="sheet" aria-label={label}>
        <div class="panel-head">
          <h2>{label}</h2>
          <button type="button" class="quiet" aria-label={`Close ${label.toLowerCase()}`} onClick={close}>
            ✕
          </button>
        </div>
        {children}
        <p class="sheet-done">
          <button type="button" class="button primary" onClick={close}>
            {done}
          </button>
        </p>
      </dialog>
    </>
  );
}

/** A button that shows the requests of the view, each of which can be copied as a command line. */
export function RequestDrawer() {
  const requests = useRequests();
  const { open, close, members } = useModal();
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-haspopup="dialog"
        onClick={open}
        aria-label="API requests of this view"
        title="API requests of this view"
      >
        {'</>'}
      </button>
      <dialog {...members} class="drawer" aria-label="API requests of this view">
        <h2>API requests of this view</h2>
        <p class="note">
          The commands read the API key from the shell variable <code>KEY</code>:{' '}
          <code>KEY={isDemoKey() ? currentKey() : 'svc_…'}</code>
          {isDemoKey()
            ? ' is that of this demo.'
            : ' with the key that the operator of this catalogue gave you.'}
        </p>
        <ul>
          {requests.map((call) => (
            <li key={call.path + JSON.stringify(call.body)}>
              <code>
                {call.method ?? (call.body === undefined ? 'GET' : 'POST')} {decoded(call.path)}
              </code>
              <CopyButton text={asCurl(call)} />
            </li>
          ))}
        </ul>
        <p class="actions">
          <a class="button" href="/docs">
            Documentation
          </a>
          <button type="button" class="button" onClick={close}>
            Close
          </button>
        </p>
      </dialog>
    </>
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
export function KeyDialog({
  isOpen,
  isRefused,
  close,
}: {
  isOpen: boolean;
  /** Whether the API has refused a request because of its key. */
  isRefused: boolean;
  close(hasChanged: boolean): void;
}) {
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
          {isRefused && currentKey() !== null
            ? 'The catalogue does not accept the key that was used. Paste another one; it is kept for this browser tab only.'
            : isDemoKey()
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
