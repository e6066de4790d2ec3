import { type ApiCall, useApi } from '../api.js';
import {
  CardSkeletons,
  Failure,
  Loading,
  Picture,
  pictureOf,
  Price,
  DealReduction,
  Text,
  useTitle,
} from '../components.js';
import { ago, count, isOfPrice, plural, shopName } from '../format.js';
import { Sparkline } from '../plots/sparkline.js';
import { viewUrl } from '../router.js';
import type { Categories, Deal, Page, PriceHistory, Product, Sources } from '../types.js';
import { useNames } from './other-offers.js';
import { ALL_PRODUCTS } from './search-url.js';
import { SearchEntry } from './suggestions.js';

type ShownDeal = Deal & Partial<Pick<PriceHistory, 'position'>> & { flags?: string[] };

const CANDIDATES = 24;
const SHOWN_DEALS = 8;
const SHOWN_CATEGORIES = 12;

const FIELDS = 'name,brand,category,image_url';

const CALLS = {
  deals: {
    path: `/v1/deals?min_discount_pct=10&price_basis=observed&out_of_stock=last&group=product&include=position,picture,flags&limit=${CANDIDATES}`,
  },
  categories: { path: '/v1/categories?include=prices' },
  sources: { path: '/v1/sources' },
  products: { path: `/v1/search?group=product&limit=100&fields=${FIELDS}&include=picture` },
} satisfies Record<string, ApiCall>;

/** The first page: a search with examples, prices that were never lower, the categories, and what the catalogue has. */
export function HomeView() {
  const deals = useApi<Page<ShownDeal>>(CALLS.deals);
  const categories = useApi<Categories>(CALLS.categories);
  const sources = useApi<Sources>(CALLS.sources);
  const products = useApi<Page<Product>>(CALLS.products);
  useTitle('Search and compare prices');
  const failure = deals.failure ?? categories.failure ?? sources.failure ?? products.failure;
  const shops = sources.data?.sources ?? [];
  const loadedAt = shops
    .map(({ last_load_at: at }) => at ?? '')
    .toSorted()
    .at(-1);
  const figures: [value: string, label: string][] = [
    [products.data === null ? '–' : count(products.data.total_groups ?? 0), 'products'],
    [products.data === null ? '–' : count(products.data.total), 'listings'],
    [sources.data === null ? '–' : count(shops.length), shops.length === 1 ? 'shop' : 'shops'],
    [sources.data === null ? '–' : ago(loadedAt), 'last update'],
  ];
  return (
    <>
      <section class="hero">
        <h1>What are you looking for?</h1>
        <SearchEntry />
        <p class="examples">
          <span class="note">Try </span>
          {examplesOf(categories.data, deals.data).map((q, at) => (
            <a key={q} href={viewUrl('/explore', { q })}>
              <Text>{q}</Text>
              {at === 0 && (categories.data?.categories ?? []).length > 0 && (
                <span class="note"> (a typo is fine)</span>
              )}
            </a>
          ))}
          <a href={ALL_PRODUCTS}>all products</a>
        </p>
        <dl class="figures">
          {figures.map(([value, label]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      {failure !== null && <Failure error={failure} />}
      <section class="home-part" aria-labelledby="lowest-title">
        <div class="panel-head">
          <h2 id="lowest-title">Never cheaper than today</h2>
          <a href="/explore/deals">All deals</a>
        </div>
        <LowestEver deals={deals.data?.items ?? null} hasFailed={deals.failure !== null} />
      </section>
      {/* They follow the deals, of which nobody knows how many there are. */}
      <section
        class="home-part"
        aria-labelledby="categories-title"
        hidden={deals.data === null && deals.failure === null}
      >
        <div class="panel-head">
          <h2 id="categories-title">Categories</h2>
          <a href="/explore/categories">Prices by category</a>
        </div>
        {categories.data === null && failure === null && <Loading what="the categories" lines={8} />}
        <ul class="tiles">
          {(categories.data?.categories ?? []).slice(0, SHOWN_CATEGORIES).map(({ name, count: size }) => {
            const example = products.data?.items.find(
              (one) => one.category === name && pictureOf(one) !== null,
            );
            return (
              <li key={name}>
                <CategoryTile
                  name={name}
                  size={size}
                  example={products.data === null ? null : (example ?? 'none')}
                />
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}

/** A category with the picture of one of its products. @param example `none` if the first page of products has none. */
function CategoryTile({
  name,
  size,
  example,
}: {
  name: string;
  size: number;
  example: Product | 'none' | null;
}) {
  const parameters = new URLSearchParams({ category: name, limit: '1', fields: FIELDS, include: 'picture' });
  const own = useApi<Page<Product>>(example === 'none' ? { path: `/v1/search?${parameters}` } : null);
  const shown = example === 'none' ? own.data?.items[0] : example;
  return (
    <a href={viewUrl('/explore', { category: name })}>
      <Picture of={{ ...(shown ?? { image_url: null }), name, brand: null }} />
      <span>
        <Text>{name}</Text>
        <span class="note">{plural(size, 'listing')}</span>
      </span>
    </a>
  );
}

/** The deals whose price was never lower, as far as there are any; otherwise the largest deals. None has a doubtful price. */
function LowestEver({ deals, hasFailed }: { deals: readonly ShownDeal[] | null; hasFailed: boolean }) {
  const isLowest = ({ position }: ShownDeal) => position?.verdict === 'lowest_ever';
  const shown = (deals ?? [])
    .filter(({ flags = [] }) => !flags.some(isOfPrice))
    .sort((a, b) => Number(isLowest(b)) - Number(isLowest(a)))
    .slice(0, SHOWN_DEALS);
  const call: ApiCall | null =
    shown.length === 0
      ? null
      : { path: '/v1/products/price-history', body: { product_ids: shown.map(({ id }) => id), days: 90 } };
  const { data } = useApi<{ histories: PriceHistory[] }>(call);
  const nameOf = useNames(shown);
  const histories = new Map((data?.histories ?? []).map((history) => [history.product_id, history]));
  if (hasFailed) return null;
  if (deals === null) {
    return (
      <ol class="cards deals" aria-busy="true" aria-label="Loading deals">
        <CardSkeletons cards={SHOWN_DEALS} />
      </ol>
    );
  }
  if (shown.length === 0) return <p class="note">No price has fallen lately.</p>;
  return (
    <ol class="cards deals">
      {shown.map((deal) => {
        const history = histories.get(deal.id);
        return (
          <li key={deal.id} class="card">
            <a class="picture-link" href={`/explore/products/${deal.id}`} tabIndex={-1} aria-hidden="true">
              <Picture of={deal} />
            </a>
            <div class="card-body">
              <h3>
                <a href={`/explore/products/${deal.id}`}>
                  <Text>{nameOf(deal)}</Text>
                </a>
              </h3>
              <p class="amount">
                <Price price={deal.price} currency={deal.currency} />
              </p>
              <Sparkline points={history?.points ?? []} to={history?.to ?? ''} />
              <p class="note">
                {isLowest(deal) ? 'Lowest ever at' : 'At'} {shopName(deal.source)},{' '}
                <DealReduction of={deal} />
              </p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** Three searches that find something here: with a typo, with a limit of the price, and for a model number. */
function examplesOf(categories: Categories | null, deals: Page<Deal> | null): string[] {
  const [first, second] = categories?.categories ?? [];
  const price = second?.prices[0];
  const models = (deals?.items ?? []).flatMap(({ name }) => /\b[A-Z]{2,}-?\d{2,}[A-Z\d]*\b/.exec(name) ?? []);
  return [
    // Two letters in the middle change places.
    ...(first === undefined ? [] : [first.name.toLowerCase().replace(/^(.{3})(\p{L})(\p{L})/u, '$1$3$2')]),
    ...(second === undefined || price === undefined
      ? []
      : [`${second.name.toLowerCase()} under ${price.currency} ${roundedUp(Number(price.median))}`]),
    ...models.slice(0, 1),
  ];
}

/** The next number that people would name as a limit, such as 150 or 1500. */
function roundedUp(price: number): number {
  const step = 10 ** Math.floor(Math.log10(price)) / 2;
  return Math.ceil(price / step) * step;
}
