import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { callApi } from '../api.js';
import { plural } from '../format.js';
import { navigate, viewUrl } from '../router.js';
import type { Suggestions } from '../types.js';
import { ALL_PRODUCTS } from './search-url.js';

type Suggestion = Suggestions['items'][number];

const DELAY_MS = 120;

/** The search box: a combobox that suggests what somebody may be typing, and searches with every letter. */
export function SearchBox({
  query,
  search,
  select,
  isLive = true,
}: {
  query: string;
  search(text: string): void;
  select(suggestion: Suggestion): void;
  /** Whether each letter searches; otherwise only the button and the Enter key do. */
  isLive?: boolean;
}) {
  const [text, setText] = useState(query);
  const [items, setItems] = useState<Suggestion[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  /** What is searched for while the last word of the text is not complete. */
  const [completed, setCompleted] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const typed = useRef(false);
  const id = useId();

  useEffect(() => {
    if (document.activeElement !== input.current || !typed.current) setText(query);
  }, [query]);

  useEffect(() => {
    if (!typed.current) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      setCompleted(null);
      if (text.trim() === '') {
        if (isLive) search(text);
        return setItems([]);
      }
      const path = `/v1/suggest?${new URLSearchParams({ q: text.slice(0, 100), limit: '8' })}`;
      callApi<Suggestions>({ path }, abort.signal).then(
        ({ items: found }) => {
          setItems(found);
          setActive(-1);
          if (!isLive) return;
          const whole = completedText(text, found);
          setCompleted(whole);
          search(whole ?? text);
        },
        () => {
          if (isLive && !abort.signal.aborted) search(text);
        },
      );
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);

  const choose = (suggestion: Suggestion) => {
    typed.current = false;
    setOpen(false);
    setCompleted(null);
    setText(suggestion.search['q'] ?? '');
    select(suggestion);
  };
  const shown = isOpen && items.length > 0;

  return (
    <form
      class="search-box"
      role="search"
      aria-label="Catalogue"
      onSubmit={(event) => {
        event.preventDefault();
        const chosen = shown ? items[active] : undefined;
        if (chosen !== undefined) return choose(chosen);
        setOpen(false);
        setCompleted(null);
        search(text);
      }}
    >
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search the catalogue"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
        placeholder="Products, brands, model numbers, GTINs"
        autoComplete="off"
        spellcheck={false}
        maxLength={1_000}
        value={text}
        onInput={(event) => {
          typed.current = true;
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onBlur={() => {
          setOpen(false);
          if (completed !== null) setText(completed);
        }}
        onKeyDown={(event) => {
          const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
          const move = moves[event.key];
          if (event.key === 'Escape' && shown) {
            event.preventDefault();
            setOpen(false);
          } else if (move !== undefined && items.length > 0) {
            event.preventDefault();
            setOpen(true);
            setActive((at) => ((at + 1 + move + items.length + 1) % (items.length + 1)) - 1);
          }
        }}
      />
      <button type="submit" class="button primary">
        Search
      </button>
      <ul id={`${id}-list`} role="listbox" aria-label="Suggestions" hidden={!shown}>
        {items.map((item, at) => (
          <li
            key={`${item.type}-${item.text}`}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            // The input keeps the focus, so that the list stays open until the click is handled.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(item)}
          >
            <bdi>
              <Marked text={item.text} ranges={item.matched} />
            </bdi>
            <small>
              {item.type} · {plural(item.count, 'listing')}
            </small>
          </li>
        ))}
      </ul>
    </form>
  );
}

/** The search box of other views than the search, to which it leads. */
export const SearchEntry = ({ query = '' }: { query?: string }) => (
  <SearchBox
    query={query}
    search={(q) => navigate(q.trim() === '' ? ALL_PRODUCTS : viewUrl('/explore', { q }))}
    select={({ search }) => navigate(viewUrl('/explore', search))}
    isLive={false}
  />
);

/**
 * Completes the last word of a text as the suggestions do, because hardly any listing has a part of a word; null if a suggestion
 * has the word as it is, or none continues it.
 */
function completedText(text: string, suggestions: readonly Suggestion[]): string | null {
  const [typed = ''] = /[\p{L}\p{N}]+$/u.exec(text) ?? [];
  const part = typed.toLowerCase();
  const words = suggestions.flatMap(
    (suggestion) => suggestion.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [],
  );
  const whole = words.find((word) => word.startsWith(part));
  if (part === '' || whole === undefined || words.includes(part)) return null;
  // A plural finds the same listings.
  if (/^e?s$/.test(whole.slice(part.length))) return null;
  return text.slice(0, text.length - typed.length) + whole;
}

/** A text with marked parts, given as offsets in UTF-16 code units. */
function Marked({ text, ranges }: { text: string; ranges: readonly [number, number][] }) {
  const parts = ranges.flatMap(([from, to], at) => [
    text.slice(ranges[at - 1]?.[1] ?? 0, from),
    <mark key={at}>{text.slice(from, to)}</mark>,
  ]);
  return (
    <>
      {parts}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </>
  );
}
