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
  Tags,
  Text,
} from '../components.js';
import { ago, money, percent, plural, sentence, shopName, words } from '../format.js';
import { HistoryPlot, loadPlots } from '../plots/history-plot.js';
import { PriceNumbers, Verdict } from '../plots/price-summary.js';
import { SpreadPlot } from '../plots/spread.js';
import { viewUrl } from '../router.js';
import type {
  Claim,
  Comparison,
  Offer,
  Offers,
  PriceHistory,
  Product,
  QualityReport,
  Reading,
} from '../types.js';
import { WhyHere } from './result-card.js';

type ShownOffer = Offer & { claim?: Claim; flags?: string[]; seen_at?: string | null };

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

/** The distribution of the prices over the shops. Only prices that could be converted are comparable. */
function PricesByShop({ offers, best }: { offers: readonly ShownOffer[]; best: number | null }) {
  const priced = offers.filter(({ price_converted: price }) => price !== null);
  const shops = [...new Set(priced.map(({ source }) => source))];
  if (priced.length < 2) return null;
  const rows = shops.map((shop) => {
    const own = priced.filter(({ source }) => source === shop);
    const prices = own.map(({ price_converted: price }) => Number(price));
    const cheapest = own[0];
    const isBest = own.some(({ id }) => id === best);
    return {
      key: shop,
      label: shopName(shop),
      text: `${shopName(shop)}: ${own.map(({ price, currency }) => money(price, currency)).join(', ')}`,
      value: cheapest === undefined ? '' : money(cheapest.price, cheapest.currency),
      range: [Math.min(...prices), Math.max(...prices)] as [number, number],
      marks: prices.map((at, number) => ({
        at,
        kind:
          own[number]?.is_available === false
            ? ('muted' as const)
            : isBest && number === 0
              ? ('main' as const)
              : ('other' as const),
      })),
    };
  });
  return <SpreadPlot label="Prices by shop" rows={rows} />;
}

const VERDICTS: Readonly<Record<string, string>> = {
  supported: 'reduction confirmed',
  exaggerated: 'reduction exaggerated',
  unsupported: 'no real reduction',
};

/** What is wrong with a listing, in words. */
const FLAGS: Readonly<Record<string, string>> = {
  price_placeholder: 'price is a placeholder',
  price_outlier: 'price is an outlier',
  gtin_check: 'wrong check digit',
  gtin_conflict: 'GTIN of another brand',
  duplicate: 'listed twice',
  stale: 'not seen lately',
};

/** What to know about the trustworthiness of an offer. Missing fields are no reason to distrust a price. */
export function Trust({
  flags = [],
  claim,
  rating,
  score,
}: {
  flags?: string[] | undefined;
  claim?: Claim | undefined;
  rating?: string | null;
  score?: number | undefined;
}) {
  const bad = flags.flatMap((flag) => FLAGS[flag] ?? []);
  const verdict = claim === undefined || claim.stated_pct === null ? undefined : VERDICTS[claim.verdict];
  if (verdict !== undefined && claim?.verdict !== 'supported') bad.push(verdict);
  return (
    <>
      <Tags of={bad} kind="bad" />
      {claim?.verdict === 'supported' && verdict !== undefined && <Tags of={[verdict]} kind="good" />}
      {bad.length === 0 && verdict === undefined && score !== undefined && <span class="note">No flags</span>}
      {score !== undefined && <p class="note">Shop’s data: {score} of 100</p>}
      {rating === undefined ? null : <Rating rating={rating} />}
    </>
  );
}

function OfferTable({
  offers,
  best,
  selected,
  here,
  quality,
}: {
  offers: readonly ShownOffer[];
  best: number | null;
  selected: number;
  here(offer: number): string;
  quality: QualityReport | null;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Offers">
      <table class="offers">
        <thead>
          <tr>
            <th scope="col">Shop and listing</th>
            <th scope="col" class="number">
              Price
            </th>
            <th scope="col">Stock</th>
            <th scope="col">Trust</th>
            <th scope="col">Why the same</th>
            <th scope="col">
              <span class="hidden">Links</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {offers.map((offer) => (
            <tr key={offer.id} class={offer.id === selected ? 'selected' : ''}>
              <th scope="row">
                <strong>{shopName(offer.source)}</strong>
                {offer.id === best && <span class="badge">Best</span>}
                <br />
                <Text class="note">{offer.name}</Text>
              </th>
              <td class="number">
                <Price price={offer.price} currency={offer.currency} />
                {offer.price_rank !== null && offer.price_rank > 1 && (
                  <span class="note rank">{`no. ${offer.price_rank}`}</span>
                )}
              </td>
              <td>
                <Stock isAvailable={offer.is_available} />
                <br />
                <span class="note">seen {ago(offer.seen_at ?? offer.last_checked)}</span>
              </td>
              <td>
                <Trust
                  flags={offer.flags}
                  claim={offer.claim}
                  score={quality?.sources.find(({ source }) => source === offer.source)?.score}
                />
              </td>
              <td>
                {offer.match_reasons.length === 0 ? (
                  <span class="note">This listing</span>
                ) : (
                  <Tags of={offer.match_reasons} />
                )}
                {offer.match_score < 1 && <span class="note">{percent(offer.match_score)}</span>}
              </td>
              <td class="links">
                <ShopLink url={offer.affiliate_url ?? offer.buy_url}>Shop</ShopLink>
                <a href={here(offer.id)} aria-current={offer.id === selected ? 'true' : undefined}>
                  History<span class="hidden"> of the price at {shopName(offer.source)}</span>
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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

const REJECTED: Readonly<Record<string, string>> = {
  contradicted: 'something contradicts it',
  less_likely: 'too little agrees',
  not_linked: 'linked to another product',
};

/** Why the listings are one product, how the matcher understands the name, and what it considered besides. */
function SameProduct({
  id,
  offers,
  reading,
}: {
  id: number;
  offers: readonly ShownOffer[];
  reading: Reading | null;
}) {
  const ids = [id, ...offers.map((offer) => offer.id).filter((one) => one !== id)].slice(0, 5);
  const diff: ApiCall | null =
    ids.length < 2 ? null : { path: '/v1/products/compare/diff', body: { product_ids: ids, explain: true } };
  const compare: ApiCall = { path: `/v1/products/compare?product_id=${id}&explain=true` };
  const pairs = useApi<{
    same_product?: { a: number; b: number; score: number; reasons: string[]; contradictions: string[] }[];
  }>(diff);
  const compared = useApi<Comparison>(compare);
  const shopOf = (one: number) =>
    shopName(offers.find((offer) => offer.id === one)?.source ?? 'this listing');
  const understood = Object.entries(reading ?? {}).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : value;
    return text === null || text === '' || text === undefined ? [] : [[name, String(text)] as const];
  });
  const own = (pairs.data?.same_product ?? []).filter(({ a, b }) => a === id || b === id);
  return (
    <section class="panel" aria-labelledby="same-title">
      <h2 id="same-title">Why this is the same product</h2>
      {pairs.failure !== null && <Failure error={pairs.failure} />}
      {diff !== null && pairs.data === null && pairs.failure === null && <Loading what="the reasons" />}
      {own.length > 0 && (
        <ul class="reasons">
          {own.map(({ a, b, score, reasons, contradictions }) => (
            <li key={`${a}-${b}`}>
              <span>
                <strong>{shopOf(a === id ? b : a)}</strong> <span class="note">{percent(score)} likely</span>
              </span>
              <Tags of={reasons} kind="good" />
              {contradictions.length > 0 && <Tags of={contradictions} kind="bad" />}
            </li>
          ))}
        </ul>
      )}
      {own.length === 0 && pairs.data !== null && <p>There is no other listing to compare with.</p>}
      {diff === null && <p>No other shop lists it.</p>}
      {understood.length > 0 && (
        <>
          <h3>How its name is understood</h3>
          <dl class="fact-list">
            {understood.map(([name, value]) => (
              <div key={name}>
                <dt>{sentence(name)}</dt>
                <dd>
                  <Text>{value}</Text>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {(compared.data?.considered?.length ?? 0) > 0 && (
        <details>
          <summary>
            {plural(compared.data?.considered?.length ?? 0, 'other listing')} considered and rejected
          </summary>
          <ul class="considered">
            {compared.data?.considered?.map(({ id: other, score, rejected }) => (
              <li key={other}>
                <a href={`/explore/products/${other}`}>Listing {other}</a>{' '}
                <span class="note">
                  {REJECTED[rejected] ?? words(rejected)}, {percent(score)} likely
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <ApiRequests calls={[diff, compare]} />
    </section>
  );
}
