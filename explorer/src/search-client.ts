/** A small file of its own that sends the search of the address at once, while the browser loads the rest of the explorer. */
import { createSearchClient } from '../../clients/instantsearch/src/index.js';
import { currentKey } from './settings.js';
import { isSearch, queryOf, stateOfAddress } from './views/search-url.js';

let listener: (path: string) => void = () => undefined;

/** Passes the path of each search to a function, also if its answer is known already. */
export function onSearch(called: (path: string) => void): void {
  listener = called;
}

export const searchClient = createSearchClient({
  url: '',
  key: currentKey,
  // The answer says which of the words the products have. The discount is computed from the whole price history.
  parameters: (sort) => ({
    group: 'product',
    interpret: 'true',
    match: 'auto',
    include: sort === 'discount' ? 'picture,claim' : 'picture',
  }),
  onRequest: (path) => listener(path),
});

if (isSearch()) {
  // The view asks for the same page, and shows why it failed.
  searchClient.search([queryOf(stateOfAddress())]).catch(() => undefined);
  // The filters are loaded while the search is answered, and start when the first products are shown.
  const filters = { rel: 'modulepreload', href: '/explore/search-widgets.js', fetchPriority: 'low' };
  document.head.append(Object.assign(document.createElement('link'), filters));
}
