import type { UiState } from 'instantsearch.js/es';
import connectHits from 'instantsearch.js/es/connectors/hits/connectHits';
import connectRange from 'instantsearch.js/es/connectors/range/connectRange';
import connectRatingMenu from 'instantsearch.js/es/connectors/rating-menu/connectRatingMenu';
import connectSearchBox from 'instantsearch.js/es/connectors/search-box/connectSearchBox';
import InstantSearch from 'instantsearch.js/es/lib/InstantSearch';
import clearRefinements from 'instantsearch.js/es/widgets/clear-refinements/clear-refinements';
import configure from 'instantsearch.js/es/widgets/configure/configure';
import currentRefinements from 'instantsearch.js/es/widgets/current-refinements/current-refinements';
import dynamicWidgets from 'instantsearch.js/es/widgets/dynamic-widgets/dynamic-widgets';
import hierarchicalMenu from 'instantsearch.js/es/widgets/hierarchical-menu/hierarchical-menu';
import pagination from 'instantsearch.js/es/widgets/pagination/pagination';
import refinementList from 'instantsearch.js/es/widgets/refinement-list/refinement-list';
import sortBy from 'instantsearch.js/es/widgets/sort-by/sort-by';
import stats from 'instantsearch.js/es/widgets/stats/stats';
import toggleRefinement from 'instantsearch.js/es/widgets/toggle-refinement/toggle-refinement';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { createSearchClient, type Hit } from '../../../clients/instantsearch/src/index.js';
import { ApiFailure, askForKey, currentKey, messageOf } from '../api.js';
import { ApiRequests, Failure } from '../components.js';
import { count, plural, sentence, shopName } from '../format.js';
import { navigate } from '../router.js';
import { PriceRange, type PriceBuckets } from './price-range.js';
import { ResultCard } from './result-card.js';
import { fromUrl, INDEX, toUrl } from './search-url.js';
import { SearchBox } from './suggestions.js';

const PAGE_SIZE = 24;

/** The characters around matching words. Names of listings never contain them, because feeds are cleaned. */
export const MARKS = ['\u0001', '\u0002'] as const;

/** The members of the API's page that InstantSearch does not know. */
interface Extras {
  total?: number;
  total_groups?: number;
  prices?: PriceBuckets[];
  empty?: { reason: string; without: { parameter: string; total: number }[]; did_you_mean: string | null };
}

/** A step of the filter by rating: listings with at least this rating. */
interface RatingStep {
  value: string;
  name: string;
  count: number | null;
  isRefined: boolean;
}

interface State {
  query: string;
  refineQuery(text: string): void;
  hits: Hit[];
  extras: Extras;
  hasSearched: boolean;
  ratings: RatingStep[];
  refineRating(value: string): void;
  refinePrice(limits: [number | undefined, number | undefined]): void;
  priceLimits: [number | undefined, number | undefined];
}

const SORTS: [value: string, label: string][] = [
  [INDEX, 'Most relevant'],
  [`${INDEX}:price_asc`, 'Lowest price'],
  [`${INDEX}:price_desc`, 'Highest price'],
  [`${INDEX}:rating`, 'Best rated'],
  [`${INDEX}:discount`, 'Largest discount'],
  [`${INDEX}:updated`, 'Latest change'],
];

/** What people read for an attribute of the API. */
const labelOf = (attribute: string): string => {
  const labels: Record<string, string> = {
    'category_path.lvl0': 'Category',
    source: 'Shop',
    availability: 'Stock',
  };
  return labels[attribute] ?? sentence(attribute.replace(/^attr\./, ''));
};

/** What people read for a value that a filter selects. */
function refinementLabel(attribute: string, label: string): string {
  if (attribute === 'source') return shopName(label);
  if (attribute === 'rating') return label.replace(/^≥ (.*)$/, '$1 and more');
  return label.replace('in_stock', 'in stock');
}

/** The search: InstantSearch with its widgets for filters, and components of this explorer for the rest. */
export function SearchView() {
  const places = useRef<Record<string, HTMLDivElement | null>>({});
  const instance = useRef<InstantSearch | null>(null);
  const [request, setRequest] = useState('');
  const [failure, setFailure] = useState<Error | null>(null);
  const [state, setState] = useState<State>({
    query: '',
    refineQuery: () => undefined,
    hits: [],
    extras: {},
    hasSearched: false,
    ratings: [],
    refineRating: () => undefined,
    refinePrice: () => undefined,
    priceLimits: [undefined, undefined],
  });

  // Effects of the layout run before the first paint, so that the first search does not wait for it.
  useLayoutEffect(() => {
    document.title = 'Search · Catalogue';
    const place = (name: string): HTMLElement => places.current[name] ?? document.createElement('div');
    const update = (part: Partial<State>) => setState((before) => ({ ...before, ...part }));
    const search = new InstantSearch({
      indexName: INDEX,
      searchClient: createSearchClient({
        url: '',
        key: currentKey,
        parameters: { group: 'product' },
        onRequest: setRequest,
      }),
      routing: {
        router: searchRouter(),
        stateMapping: { stateToRoute: (ui: UiState) => ui, routeToState: (route: UiState) => route },
      },
      future: { preserveSharedStateOnUnmount: true },
    });
    instance.current = search;
    search.addWidgets([
      configure({ hitsPerPage: PAGE_SIZE, highlightPreTag: MARKS[0], highlightPostTag: MARKS[1] }),
      connectSearchBox<object>(({ query, refine }) => update({ query, refineQuery: refine }))({}),
      connectHits<object>(({ items, results }) => {
        const raw = (results as unknown as { _rawResults?: { catalogue?: Extras }[] } | undefined)
          ?._rawResults?.[0];
        if (results === undefined || raw === undefined) return;
        setFailure(null);
        update({ hits: items as unknown as Hit[], extras: raw.catalogue ?? {}, hasSearched: true });
      })({ escapeHTML: false }),
      connectRange<object>(({ refine, start }) => {
        const limit = (value: number | undefined) => (Number.isFinite(value) ? value : undefined);
        update({
          refinePrice: refine as State['refinePrice'],
          priceLimits: [limit(start[0]), limit(start[1])],
        });
      })({ attribute: 'price', precision: 2 }),
      hierarchicalMenu({
        container: place('category'),
        attributes: ['category_path.lvl0', 'category_path.lvl1', 'category_path.lvl2', 'category_path.lvl3'],
        limit: 12,
        showMore: true,
        showMoreLimit: 100,
      }),
      toggleRefinement({
        container: place('stock'),
        attribute: 'availability',
        on: 'in_stock',
        templates: { labelText: () => 'In stock only' },
      }),
      connectRatingMenu<object>(({ items, refine }) => update({ ratings: items, refineRating: refine }))({
        attribute: 'rating',
      }),
      refinementList({
        container: place('brand'),
        attribute: 'brand',
        limit: 8,
        showMore: true,
        showMoreLimit: 50,
        searchable: true,
        searchablePlaceholder: 'Find a brand',
        searchableIsAlwaysActive: false,
      }),
      refinementList({
        container: place('source'),
        attribute: 'source',
        limit: 10,
        transformItems: (items) =>
          items.map((item) => ({ ...item, highlighted: shopName(item.label), label: shopName(item.label) })),
      }),
      dynamicWidgets({
        container: place('attributes'),
        facets: ['*'],
        widgets: [],
        maxValuesPerFacet: 50,
        transformItems: (items) => items.filter((item) => item.startsWith('attr.')),
        fallbackWidget: ({ container, attribute }) => {
          const place = typeof container === 'string' ? document.querySelector(container) : container;
          const section = document.createElement('section');
          const heading = document.createElement('h3');
          heading.textContent = labelOf(attribute);
          const list = document.createElement('div');
          section.append(heading, list);
          place?.append(section);
          return refinementList({ container: list, attribute, limit: 6, showMore: true, showMoreLimit: 50 });
        },
      }),
      currentRefinements({
        container: place('current'),
        transformItems: (items) =>
          items
            .map((item) => ({
              ...item,
              label: labelOf(item.attribute),
              // The filter by rating also states the highest rating that there is.
              refinements: item.refinements
                .filter(({ operator }) => item.attribute !== 'rating' || operator !== '<=')
                .map((one) => ({ ...one, label: refinementLabel(item.attribute, one.label) })),
            }))
            .filter(({ refinements }) => refinements.length > 0),
      }),
      clearRefinements({ container: place('clear'), templates: { resetLabel: () => 'Clear all filters' } }),
      sortBy({ container: place('sort'), items: SORTS.map(([value, label]) => ({ value, label })) }),
      stats({ container: place('stats'), templates: { text: ({ nbHits }) => plural(nbHits, 'product') } }),
      pagination({ container: place('pages'), padding: 2, scrollTo: '#content' }),
    ]);
    search.on('error', (error: Error & { status?: number; error?: { status?: number } }) => {
      const status = error.status ?? error.error?.status;
      if (status === 401) askForKey();
      setFailure(status === undefined ? error : new ApiFailure(status, messageOf(status, error.message)));
    });
    search.start();
    return () => {
      instance.current = null;
      search.dispose();
    };
  }, []);

  const at = (name: string) => (
    <div
      class={`place place-${name}`}
      ref={(element) => {
        if (element !== null) places.current[name] = element;
      }}
    />
  );
  const { extras, hits, hasSearched } = state;
  return (
    <>
      <h1 class="hidden">Search the catalogue</h1>
      <SearchBox
        query={state.query}
        search={state.refineQuery}
        select={({ search: given }) => {
          const { q = '', brand, category } = given;
          instance.current?.setUiState((before: UiState) => ({
            [INDEX]: {
              ...(before[INDEX]?.sortBy !== undefined && { sortBy: before[INDEX].sortBy }),
              query: q || (category ?? ''),
              ...(brand !== undefined && { refinementList: { brand: [brand] } }),
            },
          }));
        }}
      />
      <div class="search">
        <Filters>
          <section>
            <h3>Category</h3>
            {at('category')}
          </section>
          <section>
            <h3>Price</h3>
            <PriceRange prices={extras.prices ?? []} limits={state.priceLimits} refine={state.refinePrice} />
          </section>
          {at('stock')}
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
        </Filters>
        <div class="results">
          <div class="toolbar" hidden={!hasSearched}>
            <div role="status">{at('stats')}</div>
            {extras.total !== undefined && <span class="note">{plural(extras.total, 'listing')}</span>}
            <label class="sort-label">
              <span>Sort by</span>
              {at('sort')}
            </label>
          </div>
          <div class="chosen">
            {at('current')}
            {at('clear')}
          </div>
          {failure !== null && <Failure error={failure} />}
          {hasSearched && hits.length === 0 && failure === null && <Nothing extras={extras} />}
          <ol class="cards">
            {hits.map((hit) => (
              <ResultCard key={hit.objectID} hit={hit} query={state.query} request={request} />
            ))}
          </ol>
          {at('pages')}
          <ApiRequests calls={request === '' ? [] : [{ path: request }]} />
        </div>
      </div>
    </>
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

/** The filters: a column on wide screens, and a list that unfolds on phones. */
function Filters({ children }: { children: preact.ComponentChildren }) {
  const isWide = matchMedia('(min-width: 60rem)');
  const [isOpen, setOpen] = useState(isWide.matches);
  useEffect(() => {
    const changed = () => setOpen(isWide.matches);
    isWide.addEventListener('change', changed);
    return () => isWide.removeEventListener('change', changed);
  }, []);
  return (
    <aside class="filters" aria-label="Filters">
      <button type="button" class="button unfold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters
      </button>
      <div hidden={!isOpen}>
        <h2 class="hidden">Filters</h2>
        {children}
      </div>
    </aside>
  );
}

/** The address of this search without one of its filters. */
function addressWithout(parameter: string): string {
  const parameters = new URLSearchParams(location.search);
  for (const name of [parameter, 'page']) parameters.delete(name);
  return `/explore?${parameters}`;
}

/** Why nothing was found, and what would find something. */
function Nothing({ extras: { empty } }: { extras: Extras }) {
  const reasons: Record<string, string> = {
    filters: 'Products match, but none passes all filters.',
    unknown_words: 'No product has any of these words.',
    nothing: 'No product has all of these words.',
  };
  const suggestion = empty?.did_you_mean;
  const without = (empty?.without ?? []).filter(({ total }) => total > 0);
  return (
    <div class="nothing">
      <h2>No products</h2>
      <p>{reasons[empty?.reason ?? 'nothing']}</p>
      {suggestion && (
        <p>
          Did you mean <a href={`/explore?${new URLSearchParams({ q: suggestion })}`}>{suggestion}</a>?
        </p>
      )}
      {without.length > 0 && (
        <ul>
          {without.map(({ parameter, total }) => (
            <li key={parameter}>
              <a href={addressWithout(parameter)}>Without the filter {labelOf(parameter)}</a>:{' '}
              {plural(total, 'listing')}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Keeps the state of the search in the address, and restores it when somebody goes back. */
function searchRouter() {
  let onPop: (() => void) | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isHere = () => location.pathname.replace(/\/$/, '') === '/explore';
  const read = () => fromUrl(new URLSearchParams(location.search));
  return {
    read,
    write(route: UiState) {
      clearTimeout(timer);
      // Letters that are typed quickly make one entry of the history.
      timer = setTimeout(() => {
        const url = toUrl(route);
        if (isHere() && url !== location.pathname + location.search) navigate(url);
      }, 300);
    },
    createURL: toUrl,
    onUpdate(changed: (route: UiState) => void) {
      onPop = () => {
        if (isHere()) changed(read());
      };
      addEventListener('popstate', onPop);
      addEventListener('viewlink', onPop);
    },
    dispose() {
      clearTimeout(timer);
      if (onPop !== null) {
        removeEventListener('popstate', onPop);
        removeEventListener('viewlink', onPop);
      }
    },
  };
}
