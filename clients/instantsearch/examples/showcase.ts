import instantsearch from 'instantsearch.js/es';
import {
  clearRefinements,
  configure,
  currentRefinements,
  hierarchicalMenu,
  hits,
  menu,
  numericMenu,
  pagination,
  rangeInput,
  ratingMenu,
  refinementList,
  searchBox,
  sortBy,
  stats,
  toggleRefinement,
} from 'instantsearch.js/es/widgets';
import { CatalogueError, createSearchClient } from '../src/index.js';

// A key is in the fragment of the address, such as `showcase.html#svc_…`, which browsers do not send to servers. The demo states its
// own key in the page.
const settings = document.querySelector<HTMLMetaElement>('meta[name="settings"]')?.content ?? '{}';
const key = location.hash.slice(1) || (JSON.parse(settings) as { key?: string | null }).key || undefined;

const search = instantsearch({
  indexName: 'products',
  searchClient: createSearchClient({ url: location.origin, key }),
});
search.addWidgets([
  configure({ hitsPerPage: 5 }),
  searchBox({ container: '#box' }),
  stats({ container: '#stats' }),
  sortBy({
    container: '#sort',
    items: [
      { label: 'Relevance', value: 'products' },
      { label: 'Lowest price', value: 'products:price_asc' },
      { label: 'Highest price', value: 'products:price_desc' },
    ],
  }),
  currentRefinements({ container: '#current' }),
  clearRefinements({ container: '#clear' }),
  hierarchicalMenu({
    container: '#category',
    attributes: ['category_path.lvl0', 'category_path.lvl1', 'category_path.lvl2'],
  }),
  refinementList({ container: '#brand', attribute: 'brand', searchable: true }),
  menu({ container: '#source', attribute: 'source' }),
  rangeInput({ container: '#price', attribute: 'price' }),
  numericMenu({
    container: '#prices',
    attribute: 'price',
    items: [{ label: 'All' }, { label: 'Up to 25', end: 25 }, { label: 'From 25', start: 25 }],
  }),
  ratingMenu({ container: '#rating', attribute: 'rating' }),
  toggleRefinement({ container: '#stock', attribute: 'availability', on: 'in_stock' }),
  hits({
    container: '#hits',
    templates: {
      item: (hit, { html, components }) =>
        html`<article data-sku="${hit['sku']}">${components.Highlight({ hit, attribute: 'name' })}</article>`,
    },
  }),
  pagination({ container: '#pages' }),
]);

// InstantSearch shows the hits of the last answer when a search fails, so the page says that they are not those of the words.
const problem = document.querySelector('#error');
const showProblem = (text: string) => {
  if (problem !== null) problem.textContent = text;
};
search.on('error', ({ error }: { error: Error }) =>
  showProblem(
    error instanceof CatalogueError && error.status === 401
      ? `${error.message}. Add a key to the address: ${location.pathname}#KEY`
      : error.message,
  ),
);
search.on('render', () => {
  if (search.status !== 'error') showProblem('');
});
search.start();
addEventListener('hashchange', () => location.reload());
