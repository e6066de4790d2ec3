import type { UiState } from 'instantsearch.js';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Hit, Result } from '../../../clients/instantsearch/src/index.js';
import { ApiFailure, askForKey, mayPass, messageOf, noteRequest } from '../api.js';
import { CardSkeletons, Failure, Select, Sheet, useTitle } from '../components.js';
import { count, plural } from '../format.js';
import { navigate } from '../router.js';
import { onSearch, searchClient } from '../search-client.js';
import type { Product } from '../types.js';
import { useNames } from './other-offers.js';
import { type PriceLimits, PriceRange } from './price-range.js';
import { isForeign } from './product-title.js';
import { ResultCard } from './result-card.js';
import { type Extras, type RatingStep, type SearchState, shownOf } from './search-state.js';
import { indexOf, ORDERS } from './orders.js';
import { Matched, Nothing, Understood } from './search-remarks.js';
import { ALL_PRODUCTS, INDEX, isSearch, queryOf, stateOfAddress, toUrl } from './search-url.js';
import type { Widgets } from './search-widgets.js';
import { hasLimits, Overruled, withoutStated } from './stated-limits.js';
import { SearchBox } from './suggestions.js';
import { textWithout } from './without-filter.js';

/** The words, filters, order and page of a search. */
type State = UiState[string];

/** Resolves when the browser has painted what the document shows now. */
const painted = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });

/**
 * The search: InstantSearch's filters, and components of this explorer, which show the first products before InstantSearch has
 * started.
 */
export function SearchView() {
  const places = useRef<Record<string, HTMLDivElement | null>>({});
  const widgets = useRef<Widgets | null>(null);
  const [request, setRequest] = useState('');
  /** The number of the text that was searched for last. */
  const latest = useRef(0);
  /** How often the first search was sent. */
  const [attempt, setAttempt] = useState(1);
  const startAgain = () => setAttempt((before) => before + 1);
  /** Searches in another state: with the widgets, or by sending the first search again while there are none. */
  const change = (changed: (before: State) => State) => {
    const next = (before: UiState): UiState => ({ [INDEX]: changed(before[INDEX] ?? {}) });
    if (widgets.current !== null) return widgets.current.setUiState(next);
    navigate(toUrl(next(stateOfAddress())), { replace: true });
    startAgain();
  };
  const [state, setState] = useState<SearchState>(() => ({
    query: stateOfAddress()[INDEX]?.query ?? '',
    hits: [],
    extras: {},
    answered: '',
    hasSearched: false,
    isLoading: true,
    failure: null,
    ratings: [],
    refineRating: () => undefined,
    order: null,
    priceLimits: [undefined, undefined],
  }));

  // Effects of the layout run before the first paint, so that the first search does not wait for it.
  useLayoutEffect(() => {
    let isShown = true;
    const show = (part: Partial<SearchState>) => setState((before) => ({ ...before, ...part }));
    const fail = (error: Error & { status?: number; error?: { status?: number } }) => {
      const status = error.status ?? error.error?.status;
      if (status === 401) askForKey();
      show({
        isLoading: false,
        failure: status === undefined ? error : new ApiFailure(status, messageOf(status, error.message)),
      });
    };
    onSearch((path) => {
      setRequest(path);
      noteRequest({ path });
    });
    // The widgets follow the address themselves.
    const follow = () => {
      if (widgets.current === null && isSearch()) startAgain();
    };
    addEventListener('popstate', follow);
    addEventListener('viewlink', follow);
    const begin = async () => {
      show({ isLoading: true });
      const { results } = await searchClient.search([queryOf(stateOfAddress())]);
      if (!isShown) return;
      const first = results[0] as Result;
      show({ failure: null, isLoading: false, hits: first.hits, ...shownOf(first), hasSearched: true });
      const [{ startWidgets }] = await Promise.all([import('./search-widgets.js'), painted()]).catch(() => {
        throw new ApiFailure(0, messageOf(0, null));
      });
      if (!isShown) return;
      const place = (name: string) => places.current[name] ?? document.createElement('div');
      widgets.current = startWidgets({ first, place, show, fail });
    };
    begin().catch((error: Error) => isShown && fail(error));
    return () => {
      isShown = false;
      removeEventListener('popstate', follow);
      removeEventListener('viewlink', follow);
      widgets.current?.dispose();
      widgets.current = null;
    };
  }, [attempt]);

  const at = (name: string) => (
    <div
      class={`place place-${name}`}
      ref={(element) => {
        if (element !== null) places.current[name] = element;
      }}
    />
  );
  const { extras, hits, hasSearched, isLoading, failure } = state;
  const applied = new URLSearchParams(request.split('?')[1]);
  for (const { parameter, value } of extras.interpreted ?? []) applied.append(parameter, value);
  const found = hits as (Hit & Product)[];
  // Words in another script ask for names in it.
  const nameOf = useNames(isForeign({ name: state.answered }) ? [] : found);
  const products = plural(extras.total_groups ?? 0, 'product');
  const words = hasSearched ? state.answered : state.query;
  useTitle(words.trim() === '' ? (applied.get('category') ?? 'All products') : `“${words.slice(0, 80)}”`);
  /** The words of the text that were applied as one of some parameters. */
  const wordsFor = (...names: string[]) =>
    (extras.interpreted ?? []).filter(({ parameter }) => names.includes(parameter));
  /** Chooses an order instead of the one that words of the text may name. */
  const sortBy = (chosen: string) => {
    const named = wordsFor('sort');
    if (named.length === 0) return state.order?.refine(chosen);
    change((before) => ({ ...before, query: textWithout(state.answered, named), page: 1, sortBy: chosen }));
  };
  /** Sets limits of the price instead of those that words of the text may state. */
  const limitPrice = ([lowest, highest]: PriceLimits) => {
    const stated = wordsFor('min_price', 'max_price');
    change((before) => ({
      ...before,
      ...(stated.length > 0 && { query: textWithout(state.answered, stated) }),
      page: 1,
      range: { price: `${lowest ?? ''}:${highest ?? ''}` },
    }));
  };
  const [min, max] = state.priceLimits;
  const limitInWords = (name: string) => wordsFor(name).map(({ value }) => Number(value))[0];
  /** Searches for a text. Limits of the price among its words replace those that were chosen before. */
  const search = async (query: string) => {
    const own = (latest.current += 1);
    const chosen = new URLSearchParams(request.split('?')[1]);
    const range = `${chosen.get('min_price') ?? ''}:${chosen.get('max_price') ?? ''}`;
    const price = hasLimits(request) ? await withoutStated(range, query) : null;
    if (own !== latest.current) return;
    change((before) => ({ ...before, query, page: 1, ...(price !== null && { range: { price } }) }));
  };
  return (
    <>
      <h1 class="hidden">Search the catalogue</h1>
      <a class="skip" href="#products">
        Skip to the products
      </a>
      <SearchBox
        query={state.query}
        search={(text) => void search(text)}
        select={({ search: given }) => {
          const { q = '', brand, category } = given;
          change(({ sortBy }) => ({
            ...(sortBy !== undefined && { sortBy }),
            query: q,
            ...((brand ?? category) !== undefined && {
              refinementList: {
                ...(brand !== undefined && { brand: [brand] }),
                ...(category !== undefined && { category: [category] }),
              },
            }),
          }));
        }}
      />
      <div class="search">
        <Sheet label="Filters" done={`Show ${products}`}>
          <section>
            <h3>Category</h3>
            {at('category')}
          </section>
          <section>
            <h3>Price</h3>
            <PriceRange
              prices={extras.prices ?? []}
              limits={[min ?? limitInWords('min_price'), max ?? limitInWords('max_price')]}
              refine={limitPrice}
            />
          </section>
          {at('stock')}
          <section>
            <h3>Condition</h3>
            {at('condition')}
          </section>
          <section>
            <h3>Brand</h3>
            {at('brand')}
          </section>
          <section>
            <h3>Shop</h3>
            {at('source')}
          </section>
          <section>
            <h3>Rating</h3>
            <Ratings items={state.ratings} refine={state.refineRating} />
          </section>
          {at('attributes')}
        </Sheet>
        <div
          id="products"
          tabIndex={-1}
          class={`results ${failure === null ? '' : 'stale'}`}
          aria-busy={isLoading}
        >
          <div class="progress" hidden={!isLoading} />
          <div class="toolbar">
            <div role="status" class="place-stats">
              {hasSearched ? products : isLoading && 'Searching …'}
            </div>
            {extras.total !== undefined && <span class="note">{plural(extras.total, 'listing')}</span>}
            <label class="sort-label">
              {state.order !== null && (
                <>
                  <span>Sort by</span>
                  <Order chosen={state.order.value} extras={extras} choose={sortBy} />
                </>
              )}
            </label>
          </div>
          <Understood extras={extras} text={state.answered} search={(text) => void search(text)} />
          <Overruled
            request={request}
            text={state.answered}
            interpreted={extras.interpreted}
            apply={() => void search(state.answered)}
          />
          {failure === null && <Matched extras={extras} text={state.answered} applied={applied} />}
          <div class="chosen">
            {at('current')}
            {at('clear')}
          </div>
          {failure !== null && (
            <Failure
              error={failure}
              {...(mayPass(failure) && {
                retry: () => (widgets.current === null ? startAgain() : widgets.current.refresh()),
              })}
            />
          )}
          {failure !== null && hasSearched && state.answered !== state.query && (
            <p>
              These are still the products for {state.answered === '' ? 'no words' : `“${state.answered}”`}.
            </p>
          )}
          {failure instanceof ApiFailure && failure.status === 422 && (
            <p>
              The address asks for something that this catalogue does not know.{' '}
              <a href={ALL_PRODUCTS}>Show all products</a>
            </p>
          )}
          {hasSearched && hits.length === 0 && failure === null && (
            <Nothing extras={extras} request={request} />
          )}
          <ol class="cards">
            {!hasSearched && failure === null && <CardSkeletons />}
            {found.map((hit) => (
              <ResultCard
                key={hit.objectID}
                hit={hit}
                name={isForeign(hit) ? nameOf(hit) : undefined}
                query={state.query}
                applied={applied}
              />
            ))}
          </ol>
          {at('pages')}
        </div>
      </div>
    </>
  );
}

/** The orders of products. The one in effect is selected, also if words of the text name it. */
function Order({
  chosen,
  extras: { interpreted = [] },
  choose,
}: {
  chosen: string;
  extras: Extras;
  choose(index: string): void;
}) {
  const named = interpreted.find(({ parameter }) => parameter === 'sort');
  return (
    <span class="place place-sort">
      <Select
        value={named === undefined ? chosen : indexOf(named.value)}
        options={ORDERS.map(([sort, label]) => [indexOf(sort), label] as const)}
        set={choose}
      />
    </span>
  );
}

/** The filter by rating. A step that is selected is pressed again to remove the filter. */
const Ratings = ({ items, refine }: { items: readonly RatingStep[]; refine(value: string): void }) => (
  <ul class="ratings">
    {items.map(({ value, name, count: listings, isRefined }) => (
      <li key={name}>
        <button type="button" aria-pressed={isRefined} onClick={() => refine(value)}>
          <span class="stars" aria-hidden="true">
            {'★'.repeat(Number(name))}
            <span>{'★'.repeat(5 - Number(name))}</span>
          </span>
          <span>{name} and more</span>
          <span class="step-count">{count(listings ?? 0)}</span>
        </button>
      </li>
    ))}
  </ul>
);
