import { useApi } from '../api.js';
import { sentence, shopName } from '../format.js';
import { navigate, viewUrl } from '../router.js';
import type { Sources } from '../types.js';
import { REASONS } from './review-history.js';

/** Which pairs the queue shows. The filters are kept in the address. */
export function QueueFilters({ query }: { query: URLSearchParams }) {
  const { data } = useApi<Sources>({ path: '/v1/sources' });
  const set = (name: string, value: string) =>
    navigate(viewUrl('/review', { ...Object.fromEntries(query), [name]: value }), { replace: true });
  const chosen = (name: string) => query.get(name) ?? '';
  return (
    <div class="desk-filters">
      <label>
        Why{' '}
        <select value={chosen('reason')} onChange={(event) => set('reason', event.currentTarget.value)}>
          <option value="">any reason</option>
          {Object.keys(REASONS).map((reason) => (
            <option key={reason} value={reason}>
              {sentence(reason)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Shop{' '}
        <select value={chosen('source')} onChange={(event) => set('source', event.currentTarget.value)}>
          <option value="">any shop</option>
          {(data?.sources ?? []).map(({ code: source }) => (
            <option key={source} value={source}>
              {shopName(source)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Category{' '}
        <input
          value={chosen('category')}
          placeholder="any category"
          onChange={(event) => set('category', event.currentTarget.value.trim())}
        />
      </label>
      <label class="desk-check">
        <input
          type="checkbox"
          checked={query.get('decided') === 'true'}
          onChange={(event) => set('decided', event.currentTarget.checked ? 'true' : '')}
        />{' '}
        Decided by others
      </label>
      <a href="/review/decisions">All decisions</a>
    </div>
  );
}
