import type { UiState } from 'instantsearch.js/es';
import connectHits from 'instantsearch.js/es/connectors/hits/connectHits';
import connectRange from 'instantsearch.js/es/connectors/range/connectRange';
import connectRatingMenu from 'instantsearch.js/es/connectors/rating-menu/connectRatingMenu';
import connectRefinementList from 'instantsearch.js/es/connectors/refinement-list/connectRefinementList';
import connectSearchBox from 'instantsearch.js/es/connectors/search-box/connectSearchBox';
import connectSortBy from 'instantsearch.js/es/connectors/sort-by/connectSortBy';
import InstantSearch from 'instantsearch.js/es/lib/InstantSearch';
import clearRefinements from 'instantsearch.js/es/widgets/clear-refinements/clear-refinements';
import configure from 'instantsearch.js/es/widgets/configure/configure';
import currentRefinements from 'instantsearch.js/es/widgets/current-refinements/current-refinements';
import dynamicWidgets from 'instantsearch.js/es/widgets/dynamic-widgets/dynamic-widgets';
import hierarchicalMenu from 'instantsearch.js/es/widgets/hierarchical-menu/hierarchical-menu';
import pagination from 'instantsearch.js/es/widgets/pagination/pagination';
import refinementList from 'instantsearch.js/es/widgets/refinement-list/refinement-list';
import toggleRefinement from 'instantsearch.js/es/widgets/toggle-refinement/toggle-refinement';
import type { Hit, Result, SearchClient } from '../../../clients/instantsearch/src/index.js';
import { labelOf, sentence, shopName } from '../format.js';
import { indexOf, ORDERS } from './orders.js';
import { navigate } from '../router.js';
import { searchClient } from '../search-client.js';
import { INDEX, isSearch, PAGE_PARAMETERS, stateOfAddress, toUrl } from './search-url.js';
import { shownOf, type SearchState } from './search-state.js';

/** What people read for a value that a filter selects. */
function refinementLabel(attribute: string, label: string): string {
  if (attribute === 'source') return shopName(label);
  if (attribute === 'rating') return label.replace(/^≥ (.*)$/, '$1 and more');
  return label.replace('in_stock', 'in stock');
}

/** The search with its widgets, after it was started. */
export interface Widgets {
  /** Searches for what the widgets would show in this state. */
  setUiState(change: (before: UiState) => UiState): void;
  /** Searches again in the same state. */
  refresh(): void;
  dispose(): void;
}

/**
 * Starts InstantSearch with its filters in the state of the address. It is loaded later, because it is larger than the rest of
 * the explorer.
 */
export function startWidgets({
  first,
  place,
  show,
  fail,
}: {
  /** The answer that is shown already. */
  first: Result;
  /** The element of a widget. */
  place(name: string): HTMLElement;
  show(part: Partial<SearchState>): void;
  fail(error: Error): void;
}): Widgets {
  let latest = 0;
  let shown = [first];
  // InstantSearch must not see failures: it would return to the words and filters of the last answer. It gets that answer again
  // instead, so that the failed search stays in the address and can be repeated.
  const client: SearchClient = {
    ...searchClient,
    async search(queries) {
      const own = (latest += 1);
      show({ isLoading: true });
      let failure: Error | null = null;
      try {
        const { results } = await searchClient.search(queries);
        if (own === latest) shown = results as Result[];
      } catch (error) {
        failure = error as Error;
      }
      if (own === latest) {
        if (failure === null) show({ isLoading: false, failure });
        else fail(failure);
      }
      return { results: queries.map((_, at) => shown[at] ?? shown[0]) };
    },
  };
  const search = new InstantSearch({
    indexName: INDEX,
    searchClient: client,
    routing: {
      router: searchRouter(),
      stateMapping: { stateToRoute: (ui: UiState) => ui, routeToState: (route: UiState) => route },
    },
    future: { preserveSharedStateOnUnmount: true },
  });
  search.addWidgets([
    configure(PAGE_PARAMETERS),
    connectSearchBox<object>(({ query }) => show({ query }))({}),
    connectHits<object>(({ items, results }) => {
      const raw = (results as unknown as { _rawResults?: Result[] } | undefined)?._rawResults?.[0];
      if (results === undefined || raw === undefined) return;
      show({ hits: items as unknown as Hit[], ...shownOf(raw) });
    })({ escapeHTML: false }),
    connectRange<object>(({ start }) => {
      const limit = (value: number | undefined) => (Number.isFinite(value) ? value : undefined);
      show({ priceLimits: [limit(start[0]), limit(start[1])] });
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
    connectRatingMenu<object>(({ items, refine }) => show({ ratings: items, refineRating: refine }))({
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
    refinementList({
      container: place('condition'),
      attribute: 'condition',
      transformItems: (items) =>
        items.map((item) => ({ ...item, highlighted: sentence(item.label), label: sentence(item.label) })),
    }),
    // The lists of attributes appear with the first page. Those of the address filter it already.
    ...Object.keys(stateOfAddress()[INDEX]?.refinementList ?? {})
      .filter((name) => name.startsWith('attr.'))
      .map((attribute) => connectRefinementList<object>(() => undefined)({ attribute })),
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
    connectSortBy<object>(({ currentRefinement: value, refine }) => show({ order: { value, refine } }))({
      items: ORDERS.map(([sort, label]) => ({ value: indexOf(sort), label })),
    }),
    // Links lead to a category by its name, which is no menu. No other category can be chosen besides it.
    connectRefinementList<object>(() => undefined)({ attribute: 'category', operator: 'and' }),
    pagination({ container: place('pages'), padding: 2, scrollTo: '#content' }),
  ]);
  search.start();
  return search;
}

/** Keeps the state of the search in the address, and restores it when somebody goes back. */
function searchRouter() {
  let onPop: (() => void) | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    read: stateOfAddress,
    write(route: UiState) {
      clearTimeout(timer);
      // Letters that are typed quickly make one entry of the history.
      timer = setTimeout(() => {
        const url = toUrl(route);
        if (isSearch() && url !== location.pathname + location.search) navigate(url);
      }, 300);
    },
    createURL: toUrl,
    onUpdate(changed: (route: UiState) => void) {
      onPop = () => {
        if (isSearch()) changed(stateOfAddress());
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
