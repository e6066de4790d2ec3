import { Price, Rating, ShopLink, Stock, Tags, Text } from '../components.js';
import { ago, money, percent, shopName } from '../format.js';
import { SpreadPlot } from '../plots/spread.js';
import type { Claim, Offer, QualityReport } from '../types.js';

export type ShownOffer = Offer & { claim?: Claim; flags?: string[]; seen_at?: string | null };

/** The distribution of the prices over the shops. Only prices that could be converted are comparable. */
export function PricesByShop({ offers, best }: { offers: readonly ShownOffer[]; best: number | null }) {
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

export const VERDICTS: Readonly<Record<string, string>> = {
  supported: 'reduction confirmed',
  exaggerated: 'reduction exaggerated',
  unsupported: 'no real reduction',
};

/** What is wrong with a listing, in words. */
const FLAGS: Readonly<Record<string, string>> = {
  price_placeholder: 'price is a placeholder',
  price_outlier: 'price is an outlier',
  condition_conflict: 'sold as new, but the name says otherwise',
  price_disputed: 'two shops disagree on the price',
  price_low: 'price is unusually low',
  gtin_check: 'wrong check digit',
  gtin_conflict: 'GTIN of another brand',
  duplicate: 'listed twice',
  stale: 'not seen lately',
};

/** Hints at how trustworthy an offer is. Missing fields are not a reason to distrust a price. */
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

export function OfferTable({
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
