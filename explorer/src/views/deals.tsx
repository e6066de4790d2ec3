import { useEffect, useState } from 'preact/hooks';
import { type ApiCall, useApi } from '../api.js';
import {
  CardSkeletons,
  Failure,
  Picture,
  Price,
  Rating,
  DealReduction,
  Select,
  Sheet,
  ShopLink,
  Stock,
  Text,
  useTitle,
} from '../components.js';
import { money, plural, shopName } from '../format.js';
import { navigate, viewUrl } from '../router.js';
import type { Categories, Deal, Page, Sources } from '../types.js';
import { Trust } from './offers.js';
import { useNames } from './other-offers.js';

const PAGE_SIZE = 24;
const ALL = ['', 'All'] as const;

/** Deals: prices below their own observed past, with what the history says about the claim of the shop. */
export function DealsView({ query }: { query: URLSearchParams }) {
  const given = (name: string) => query.get(name) ?? '';
  const page = Math.max(1, Number(given('page')) || 1);
  const filters = {
    q: given('q'),
    source: given('source'),
    category: given('category'),
    in_stock: given('in_stock'),
    min_discount_pct: given('min_discount_pct') || '20',
    price_basis: given('price_basis'),
  };
  const [text, setText] = useState(filters.q);
  useEffect(() => setText(filters.q), [filters.q]);
  useTitle('Deals');
  const call: ApiCall = {
    path: viewUrl('/v1/deals', {
      ...filters,
      out_of_stock: 'last',
      group: 'product',
      include: 'claim,flags,picture',
      limit: PAGE_SIZE,
      offset: page > 1 ? (page - 1) * PAGE_SIZE : null,
    }),
  };
  const { data, failure } = useApi<Page<Deal & { flags?: string[] }>>(call);
  const nameOf = useNames(data?.items ?? []);
  const sources = useApi<Sources>({ path: '/v1/sources' });
  const categories = useApi<Categories>({ path: '/v1/categories' });
  const to = (changed: Record<string, string | number | null>) =>
    viewUrl('/explore/deals', { ...filters, ...changed });
  return (
    <>
      <h1>Deals</h1>
      <p class="note lede">
        Prices that are lower than they usually were, so a price that was raised just before a sale is not a
        deal. If a price was not observed for long enough, it is compared with the price that the shop states,
        and the deal says so.
      </p>
      <form
        class="controls"
        onSubmit={(event) => {
          event.preventDefault();
          navigate(to({ q: text }));
        }}
      >
        <label>
          Search
          <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        <button type="submit" class="button primary">
          Show
        </button>
        <Sheet label="Filters" done="Show deals">
          <label>
            Shop
            <Select
              value={filters.source}
              options={[
                ALL,
                ...(sources.data?.sources ?? []).map(({ code }) => [code, shopName(code)] as const),
              ]}
              set={(source) => navigate(to({ source }))}
            />
          </label>
          <label>
            Category
            <Select
              value={filters.category}
              options={[ALL, ...(categories.data?.categories ?? []).map(({ name }) => [name] as const)]}
              set={(category) => navigate(to({ category }))}
            />
          </label>
          <label>
            Discount
            <Select
              value={filters.min_discount_pct}
              options={[...new Set(['10', '20', '30', '50', filters.min_discount_pct])].map(
                (least) => [least, `at least ${least} %`] as const,
              )}
              set={(least) => navigate(to({ min_discount_pct: least }))}
            />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={filters.in_stock === 'true'}
              onChange={({ currentTarget }) =>
                navigate(to({ in_stock: currentTarget.checked ? 'true' : null }))
              }
            />
            In stock only
          </label>
        </Sheet>
      </form>
      {failure !== null && <Failure error={failure} />}
      {data === null && failure === null && (
        <ol class="cards" aria-busy="true" aria-label="Loading deals">
          <CardSkeletons cards={PAGE_SIZE} />
        </ol>
      )}
      {data !== null && (
        <>
          <p role="status" class="place-stats">
            {plural(data.total_groups ?? data.total, 'deal')}
          </p>
          {data.items.length === 0 && (
            <p>
              No price has fallen like this.{' '}
              <a href="/explore/deals?min_discount_pct=10">Show all deals from 10 %</a>
            </p>
          )}
          <ol class="cards">
            {data.items.map((deal) => (
              <li class="card" key={deal.id}>
                <a
                  class="picture-link"
                  href={`/explore/products/${deal.id}`}
                  tabIndex={-1}
                  aria-hidden="true"
                >
                  <Picture of={deal} />
                </a>
                <div class="card-body">
                  <h2>
                    <a href={`/explore/products/${deal.id}`}>
                      <Text>{nameOf(deal)}</Text>
                    </a>
                  </h2>
                  <p class="facts">
                    <span class="note">{shopName(deal.source)}</span>
                    <Rating rating={deal.rating} />
                    <Stock isAvailable={deal.is_available} />
                  </p>
                  <p class="amount">
                    <Price price={deal.price} currency={deal.currency} />
                  </p>
                  <p class="note">
                    <DealReduction of={deal} />
                    <BestOffer of={deal} />
                  </p>
                  <div class="trust">
                    <Trust flags={deal.flags} claim={deal.claim} />
                  </div>
                  <p class="actions">
                    <ShopLink url={deal.affiliate_url ?? deal.buy_url}>Shop</ShopLink>
                  </p>
                </div>
              </li>
            ))}
          </ol>
          <nav class="actions pager" aria-label="Pages">
            {page > 1 && (
              <a class="button" href={to({ page: page > 2 ? page - 1 : null })}>
                Previous page
              </a>
            )}
            {data.has_more && (
              <a class="button" href={to({ page: page + 1 })}>
                Next page
              </a>
            )}
          </nav>
        </>
      )}
    </>
  );
}

/** The best offer of the product of a deal, which may be that of a shop that never reduced it. */
function BestOffer({ of: { id, group } }: { of: Deal }) {
  if (!group?.best_offer || group.offers === 1) return null;
  const { best_offer: best, best_offer_id: bestId, offers } = group;
  return (
    <>
      <br />
      The best of {plural(offers, 'offer')}
      {bestId === id ? '' : `: ${money(best.price, best.currency)} at ${shopName(best.source)}`}
    </>
  );
}
