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
import { createSearchClient } from '../src/index.js';

// The key is in the fragment of the address, such as `showcase.html#svc_…`, which browsers do not send to servers.
const key = location.hash.slice(1);

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
search.start();
