import { useEffect, useState } from 'preact/hooks';
import { type ApiCall, useApi } from '../api.js';
import {
  ApiRequests,
  Failure,
  Loading,
  Picture,
  Price,
  Rating,
  ShopLink,
  Stock,
  Text,
} from '../components.js';
import { ago, plural, sentence, shopName } from '../format.js';
import { HistoryPlot, loadPlots } from '../plots/history-plot.js';
import { PriceNumbers, Verdict } from '../plots/price-summary.js';
import { viewUrl } from '../router.js';
import type { Claim, Offers, PriceHistory, Product, QualityReport, Reading } from '../types.js';
import { OfferTable, PricesByShop, type ShownOffer, VERDICTS } from './offers.js';
import { WhyHere } from './result-card.js';
import { SameProduct } from './same-product.js';

/** A product: its offers by shop, the history of its price, and why its listings are one product. */
export function ProductView({ id, query }: { id: string; query: URLSearchParams }) {
  const calls = {
    product: { path: `/v1/products/${encodeURIComponent(id)}?explain=true&include=claim,flags,seen_at` },
    offers: { path: `/v1/products/${encodeURIComponent(id)}/offers?include=claim,flags,seen_at` },
    quality: { path: '/v1/quality' },
  } satisfies Record<string, ApiCall>;
  const product = useApi<Product & { reading?: Reading; claim?: Claim; flags?: string[] }>(calls.product);
  const offers = useApi<Omit<Offers, 'offers'> & { offers: ShownOffer[] }>(calls.offers);
  const quality = useApi<QualityReport>(calls.quality);
  const { data } = product;
  useEffect(() => void loadPlots().catch(() => undefined), []);
  const selected = Number(query.get('offer') ?? id);
  const q = query.get('q') ?? '';
  useEffect(() => {
    document.title = `${data?.name.slice(0, 80) ?? 'Product'} · Catalogue`;
  }, [data?.name]);

  if (product.failure !== null) {
    return (
      <>
        <h1>Product</h1>
        <Failure error={product.failure} />
        <p>
          <a href="/explore">Search the catalogue</a>
        </p>
      </>
    );
  }
  if (data === null) return <Loading what="the product" />;
  const found = offers.data?.offers ?? [];
  const best = found.find(({ id: one }) => one === offers.data?.best_offer_id) ?? found[0];
  const shown = found.find(({ id: one }) => one === selected);
  const here = (offer: number) =>
    viewUrl(`/explore/products/${id}`, { q, offer: offer === data.id ? null : offer });
  return (
    <article class="product">
      <nav aria-label="Category" class="crumbs">
        <a href={viewUrl('/explore', { q })}>{q === '' ? 'Search' : `Results for “${q}”`}</a>
        {data.category_path.map((level, at) => (
          <span key={level}>
            {' › '}
            <a href={viewUrl('/explore', { category_path: data.category_path.slice(0, at + 1).join(' > ') })}>
              <Text>{level}</Text>
            </a>
          </span>
        ))}
      </nav>
      <header class="panel lead">
        <Picture url={data.image_url} name={data.name} brand={data.brand} />
        <div>
          <h1>
            <Text>{data.name}</Text>
          </h1>
          <p class="facts">
            {data.brand !== null && (
              <a href={viewUrl('/explore', { brand: data.brand })}>
                <Text>{data.brand}</Text>
              </a>
            )}
            <Rating rating={data.rating} />
            {offers.data !== null && (
              <span class="note">
                {plural(offers.data.total, 'offer')} in {plural(offers.data.sources, 'shop')}
              </span>
            )}
          </p>
          {best !== undefined && (
            <div class="best">
              <div>
                <p class="note">Best offer, at {shopName(best.source)}</p>
                <p class="big">
                  <Price price={best.price} currency={best.currency} />
                </p>
                <Stock isAvailable={best.is_available} />
              </div>
              <ShopLink url={best.affiliate_url ?? best.buy_url}>Go to {shopName(best.source)}</ShopLink>
            </div>
          )}
          {data.description !== null && (
            <p class="description">
              <Text>{data.description}</Text>
            </p>
          )}
          <Facts metadata={data.metadata} />
        </div>
      </header>

      <section class="panel" aria-labelledby="offers-title">
        <h2 id="offers-title">Offers by shop</h2>
        {offers.failure !== null && <Failure error={offers.failure} />}
        {offers.data === null ? (
          offers.failure === null && <Loading what="the offers" />
        ) : (
          <>
            <PricesByShop offers={found} best={best?.id ?? null} />
            <OfferTable
              offers={found}
              best={best?.id ?? null}
              selected={selected}
              here={here}
              quality={quality.data}
            />
            <p class="note">
              {offers.data.basis === 'linked'
                ? `Linked into one product ${ago(offers.data.linked_at)}.`
                : 'Not linked yet: these offers were matched just now.'}
              {offers.data.gtins.length > 0 && ` GTIN ${offers.data.gtins.join(', ')}.`}
              {offers.data.models.length > 0 && ` Model ${offers.data.models.join(', ')}.`}
            </p>
          </>
        )}
        <ApiRequests calls={[calls.offers]} />
      </section>

      <History id={selected} shop={shown?.source ?? (selected === data.id ? data.source : null)} />
      {offers.data !== null && <SameProduct id={data.id} offers={found} reading={data.reading ?? null} />}
      {q !== '' && (
        <section class="panel" aria-labelledby="rank-title">
          <h2 id="rank-title">Why it is found by “{q}”</h2>
          <WhyHere
            id={data.id}
            request={`/v1/search?${new URLSearchParams({ q, limit: '100', group: 'product' })}`}
          />
        </section>
      )}
      <ApiRequests calls={[calls.product, calls.quality]} />
    </article>
  );
}

/** What the shop states besides the fields of a product, as far as it is text. */
function Facts({ metadata }: { metadata: unknown }) {
  const stated =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  const own = (stated as Record<string, unknown>)['attributes'] ?? stated;
  const facts = Object.entries(own as object).flatMap(([name, value]: [string, unknown]) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return ['string', 'number', 'boolean'].includes(typeof text) ? [[name, String(text)] as const] : [];
  });
  if (facts.length === 0) return null;
  return (
    <dl class="fact-list">
      {facts.slice(0, 12).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Text>{sentence(name.slice(0, 60))}</Text>
          </dt>
          <dd>
            <Text>{value.slice(0, 200)}</Text>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const PERIODS: [days: number, label: string][] = [
  [90, '3 months'],
  [365, '1 year'],
  [730, '2 years'],
];

function History({ id, shop }: { id: number; shop: string | null }) {
  const name = shop === null ? 'this shop' : shopName(shop);
  const [days, setDays] = useState(365);
  const call: ApiCall = { path: `/v1/products/${id}/price-history?days=${days}&interval=raw&include=claim` };
  const { data, failure } = useApi<PriceHistory>(call);
  return (
    <section class="panel" aria-labelledby="history-title">
      <div class="panel-head">
        <h2 id="history-title">Price history at {name}</h2>
        <label>
          <span class="hidden">Period</span>
          <select value={days} onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}>
            {PERIODS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {failure !== null && <Failure error={failure} />}
      {data === null && failure === null && <Loading what="the price history" />}
      {data !== null && (
        <>
          <Verdict position={data.position} />
          {data.claim !== undefined && data.claim.stated_pct !== null && (
            <p class="note">
              The shop states a reduction of {data.claim.stated_pct} %:{' '}
              {VERDICTS[data.claim.verdict] ?? 'too few prices were observed to judge it'}
              {data.claim.observed_pct !== null && ` (observed: ${data.claim.observed_pct} %)`}.
            </p>
          )}
          {data.points.length === 0 ? (
            <p>No price was observed in this period.</p>
          ) : (
            <HistoryPlot
              line={{
                label: name,
                currency: data.currency,
                points: data.points,
                gaps: data.coverage.gaps,
                to: data.to,
                known: data.coverage.last_checked,
              }}
            />
          )}
          {data.statistics !== null && <PriceNumbers statistics={data.statistics} currency={data.currency} />}
        </>
      )}
      <ApiRequests calls={[call]} />
    </section>
  );
}
