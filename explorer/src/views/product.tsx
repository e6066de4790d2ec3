import { useEffect, useState } from 'preact/hooks';
import { type ApiCall, useApi } from '../api.js';
import {
  Failure,
  Loading,
  Picture,
  pictureOf,
  Price,
  Rating,
  Select,
  ShopLink,
  Shortened,
  Stock,
  Text,
  useTitle,
} from '../components.js';
import { ago, date, isOfPrice, money, plural, sentence, shopName } from '../format.js';
import { HistoryPlot, loadPlots } from '../plots/history-plot.js';
import { toSeries } from '../plots/price-lines.js';
import { verdictOf } from '../plots/verdict.js';
import { viewUrl } from '../router.js';
import type { Offers, PriceHistory, Product, Reading } from '../types.js';
import { isComparable, OfferTable, rankOffers, type ShownOffer, Trust } from './offers.js';
import { named, productTitle } from './product-title.js';
import { Related, Variants } from './related.js';
import { WhyHere } from './result-card.js';
import { SameProduct } from './same-product.js';
import { SearchEntry } from './suggestions.js';
import { WatchPrice } from './watch.js';

type Shown = Product & { reading?: Reading };
type ShownOffers = Omit<Offers, 'offers'> & { offers: ShownOffer[] };

/** The most listings whose price histories one request returns. */
const HISTORIES = 20;

/** A product: its best offer, its variants, the course of its price, all offers, and what it is related to. */
export function ProductView({ id, query }: { id: string; query: URLSearchParams }) {
  const path = `/v1/products/${encodeURIComponent(id)}`;
  const [days, setDays] = useState(365);
  const calls = {
    product: { path: `${path}?explain=true&include=picture` },
    offers: { path: `${path}/offers?include=claim,flags,seen_at,condition,delivery,unit_price,picture` },
  } satisfies Record<string, ApiCall>;
  const product = useApi<Shown>(calls.product);
  const offers = useApi<ShownOffers>(calls.offers);
  const { best_offer_id: cheapest = null, offers: answered = [] } = offers.data ?? {};
  const { ranked: found, best, compared: isBestBy } = rankOffers(answered, cheapest);
  const lowest = found.find((offer) => offer.id === cheapest) ?? best;
  // Prices are compared over time as far as they are compared today.
  const compared = found
    .filter((offer) => offer.id === best?.id || (isComparable(offer) && offer.currency === best?.currency))
    .slice(0, HISTORIES);
  const call: ApiCall | null =
    compared.length === 0
      ? null
      : {
          path: '/v1/products/price-history',
          body: { product_ids: compared.map((offer) => offer.id), days },
        };
  const histories = useApi<{ histories: PriceHistory[] }>(call);
  const { data } = product;
  const shown = data === null ? null : named<Shown>(data, found);
  // What was read from the name of the one is what is looked for in the name of the other.
  const title =
    data === null || shown === null
      ? 'Product'
      : productTitle({ name: shown.name, brand: data.brand }, data.reading ?? null);
  useEffect(() => void loadPlots().catch(() => undefined), []);
  useTitle(title.slice(0, 80));

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
  const q = query.get('q') ?? '';
  const known = histories.data?.histories ?? [];
  const lines = linesOf(known, compared);
  const lowestEver = Math.min(...known.map(({ statistics }) => Number(statistics?.lowest_ever ?? Infinity)));
  const ofBest = known.find(({ product_id: one }) => one === best?.id);
  return (
    <article class="product" aria-busy={data === null}>
      <SearchEntry query={q} />
      <nav aria-label="Category" class="crumbs">
        <a href={viewUrl('/explore', { q })}>{q === '' ? 'Home' : `Results for “${q}”`}</a>
        {(data?.category_path ?? []).map((level, at, levels) => (
          <span key={level}>
            {' › '}
            <a href={viewUrl('/explore', { category_path: levels.slice(0, at + 1).join(' > ') })}>
              <Text>{level}</Text>
            </a>
          </span>
        ))}
      </nav>
      <header class="panel lead">
        {data === null ? (
          <span class="picture loading" />
        ) : (
          <Picture of={best === undefined || pictureOf(best) === null ? data : best} />
        )}
        {data === null ? (
          <Loading what="the product" lines={8} />
        ) : (
          <div>
            <h1>
              <Text>{title}</Text>
            </h1>
            <p class="facts">
              {data.brand !== null && (
                <a href={viewUrl('/explore', { brand: data.brand })}>
                  <Text>{data.brand}</Text>
                </a>
              )}
              <Ratings of={found.length > 0 ? found : [data]} />
              <span class="note">
                {offers.data === null
                  ? '…'
                  : `${plural(offers.data.total, 'offer')} in ${plural(offers.data.sources, 'shop')}`}
              </span>
            </p>
            <div class="best">
              {best === undefined ? (
                offers.failure === null && <Loading what="the best offer" lines={3} />
              ) : (
                <>
                  <div>
                    <p class="big">
                      <Price price={best.price} currency={best.currency} />
                    </p>
                    <p class={`verdict-line ${ofBest?.position.verdict ?? ''}`}>
                      {ofBest === undefined
                        ? '\u00a0'
                        : verdictOf(ofBest.position.verdict, best, toSeries(lines), lowestEver)}
                    </p>
                    <Trust flags={best.flags?.filter(isOfPrice)} />
                    <p>
                      at {shopName(best.source)} ·{' '}
                      {!best.total_price
                        ? 'delivery not stated'
                        : best.total_price === best.price
                          ? 'free delivery'
                          : `${money(best.total_price, best.currency)} with delivery`}{' '}
                      <Stock isAvailable={best.is_available} />
                    </p>
                    {isBestBy !== null && <p class="note">{isBestBy}</p>}
                  </div>
                  <div class="actions">
                    <ShopLink url={best.affiliate_url ?? best.buy_url}>Go to shop</ShopLink>
                    {lowest?.price && lowest.currency && (
                      <WatchPrice
                        id={data.id}
                        offers={found.map((offer) => offer.id)}
                        price={lowest.price}
                        currency={lowest.currency}
                      />
                    )}
                  </div>
                </>
              )}
            </div>
            {shown?.description && (
              <p class="description">
                <Shortened key={shown.id} text={shown.description} long={280} />
              </p>
            )}
            <Variants product={data} title={title} />
          </div>
        )}
      </header>

      <section class="panel" aria-labelledby="history-title">
        <div class="panel-head">
          <h2 id="history-title">Price history</h2>
          <label>
            <span class="hidden">Period</span>
            <Select value={days} options={PERIODS} set={(chosen) => setDays(Number(chosen))} />
          </label>
        </div>
        {histories.failure !== null && <Failure error={histories.failure} />}
        {histories.data === null ? (
          histories.failure === null && <div class="plot-space" role="status" aria-label="Loading prices" />
        ) : (
          <>
            <Covered histories={known} offers={compared} />
            <HistoryPlot lines={lines} />
          </>
        )}
      </section>

      <section class="panel" aria-labelledby="offers-title">
        <h2 id="offers-title">Offers</h2>
        {offers.failure !== null && <Failure error={offers.failure} />}
        {offers.data === null ? (
          offers.failure === null && <Loading what="the offers" lines={8} />
        ) : (
          <OfferTable offers={found} best={best?.id ?? null} compared={isBestBy} />
        )}
      </section>

      {data !== null && (
        <>
          <Related id={id} kind="similar" title="Similar products" category={data.category} />
          <Related id={id} kind="compatible" title="Goes with it" category={data.category} />
          <Details data={data} offers={offers.data} q={q} />
        </>
      )}
    </article>
  );
}

const PERIODS: [days: number, label: string][] = [
  [90, '3 months'],
  [365, '1 year'],
  [730, '2 years'],
];

const linesOf = (histories: readonly PriceHistory[], offers: readonly ShownOffer[]) =>
  histories.map(({ product_id: id, currency, points, coverage, to }) => ({
    label: shopName(offers.find((offer) => offer.id === id)?.source ?? ''),
    currency,
    points,
    gaps: coverage.gaps,
    to,
    known: coverage.last_checked,
  }));

/** The ratings of a product, each of which is that of its listing at one shop. */
function Ratings({ of }: { of: readonly Product[] }) {
  const rated = of
    .filter(({ rating }) => rating !== null)
    .sort((a, b) => Number(a.rating) - Number(b.rating));
  const shops = [...new Set(rated.map(({ source }) => source))];
  const [lowest, highest] = [rated[0]?.rating ?? null, rated.at(-1)?.rating ?? null];
  if (lowest === null) return null;
  const [shop] = shops;
  return (
    <span>
      <Rating rating={lowest} to={highest} at={shops.length === 1 ? shop : undefined} />
      {shops.length > 1 && <span class="note"> in {shops.length} shops</span>}
    </span>
  );
}

/** Since when prices are known, and of which offers the plot has the lowest ones. */
function Covered({
  histories,
  offers,
}: {
  histories: readonly PriceHistory[];
  offers: readonly ShownOffer[];
}) {
  const [since] = histories.flatMap(({ points: [first] }) => first?.at ?? []).toSorted();
  if (since === undefined) return null;
  const areOut = offers.some(({ is_available: isAvailable }) => isAvailable === false);
  return (
    <p class="note">
      Observed since {date(since)}.
      {histories.length > 1 &&
        ` The lowest price of all shops without delivery${areOut ? ', also of those that are out of stock now' : ''}.`}
    </p>
  );
}

/** What few people ask for: what the shop states, why the listings are one product, and why it was found. */
function Details({ data, offers, q }: { data: Shown; offers: ShownOffers | null; q: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="panel details" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span>Details</span>{' '}
        <span class="note">what the shop states, and why these offers are one product</span>
      </summary>
      {isOpen && (
        <>
          <p>
            <Text>{data.name}</Text>
          </p>
          <Facts metadata={data.metadata} />
          {offers !== null && (
            <p class="note">
              {offers.basis === 'linked'
                ? `Linked into one product ${ago(offers.linked_at)}.`
                : 'Not linked yet: these offers were matched just now.'}
              {offers.gtins.length > 0 && ` GTIN ${offers.gtins.join(', ')}.`}
              {offers.models.length > 0 && ` Model ${offers.models.join(', ')}.`}
            </p>
          )}
          {offers !== null && (
            <SameProduct id={data.id} offers={offers.offers} reading={data.reading ?? null} />
          )}
          {q !== '' && (
            <section aria-labelledby="rank-title">
              <h2 id="rank-title">Why it is found by “{q}”</h2>
              <WhyHere id={data.id} q={q} />
            </section>
          )}
        </>
      )}
    </details>
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
