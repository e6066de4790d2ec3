import { useApi } from '../api.js';
import { Select } from '../components.js';
import { shopName } from '../format.js';
import { navigate, viewUrl } from '../router.js';
import type { ReviewItem, Sources } from '../types.js';

/** The pairs that the queue can be restricted to. */
const PAIRS: Readonly<Record<ReviewItem['reason'], string>> = {
  uncertain: 'uncertain pairs',
  contradiction: 'contradictions within a product',
  gtin_conflict: 'same GTIN, different makers',
  large_group: 'products with many listings',
};

/** Which pairs the queue shows. The filters are kept in the address. */
export function QueueFilters({ query }: { query: URLSearchParams }) {
  const { data } = useApi<Sources>({ path: '/v1/sources' });
  const set = (name: string, value: string) =>
    navigate(viewUrl('/review', { ...Object.fromEntries(query), [name]: value }), { replace: true });
  const chosen = (name: string) => query.get(name) ?? '';
  return (
    <div class="desk-filters">
      <label>
        Pairs{' '}
        <Select
          value={chosen('reason')}
          options={[['', 'all pairs'], ...Object.entries(PAIRS)]}
          set={(reason) => set('reason', reason)}
        />
      </label>
      <label>
        Shop{' '}
        <Select
          value={chosen('source')}
          options={[
            ['', 'any shop'],
            ...(data?.sources ?? []).map(({ code }) => [code, shopName(code)] as const),
          ]}
          set={(source) => set('source', source)}
        />
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
    </div>
  );
}
