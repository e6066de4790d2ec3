import { Head, Price, Rating, ShopLink, Stock, Tags, Text } from '../components.js';
import { ago, isOfPrice, money, shopName, words } from '../format.js';
import type { Claim, Delivery, Offer, UnitPrice } from '../types.js';

export type ShownOffer = Offer & {
  claim?: Claim;
  flags?: string[];
  seen_at?: string | null;
  condition?: { value: string };
  delivery?: Delivery | null;
  total_price?: string | null;
  unit_price?: UnitPrice | null;
};

const VERDICTS: Readonly<Record<string, string>> = {
  supported: 'really reduced',
  exaggerated: 'reduced by less than stated',
  unsupported: 'not really reduced',
};

/** What is wrong with a listing, in words, the most serious first. */
const FLAGS: Readonly<Record<string, string>> = {
  price_placeholder: 'not a real price',
  price_outlier: 'price is far from that of other shops',
  price_disputed: 'two shops disagree on the price',
  condition_conflict: 'sold as new, but the name says otherwise',
  gtin_conflict: 'barcode of another brand',
  price_low: 'unusually cheap: check before you buy',
  gtin_check: 'wrong barcode',
  duplicate: 'listed twice',
  stale: 'not seen lately',
};

/** Whether the price of an offer may be the lowest: that of new goods, which can be converted and is not flagged. */
export const isComparable = ({ price_converted: price, condition, flags = [] }: ShownOffer): boolean =>
  price !== null && (condition?.value ?? 'new') === 'new' && !flags.some(isOfPrice);

/** The price with delivery, or without if the shop does not state it, in the currency in which offers are compared. */
function costOf({ price, price_converted: converted, total_price: total }: ShownOffer): number {
  const rate = Number(price) > 0 ? Number(converted) / Number(price) : 1;
  return Number(total ?? price) * rate;
}

/**
 * Puts the offers that can be bought at a price to trust in the order of what they cost, with delivery where it is known.
 * @param offers in the order of the API, which has them first.
 * @returns all offers; the best one, which is null without a price; and what its place at the top is about.
 */
export function rankOffers(offers: readonly ShownOffer[], bestOfApi: number | null) {
  const canBeBought = (offer: ShownOffer) => isComparable(offer) && offer.is_available !== false;
  const bought = offers.filter(canBeBought).sort((a, b) => costOf(a) - costOf(b));
  const ranked = [...bought, ...offers.filter((offer) => !canBeBought(offer))];
  const best = bought[0] ?? offers.find(({ id }) => id === bestOfApi) ?? offers[0];
  const known = bought.filter((offer) => offer.total_price).length;
  const basis =
    known === bought.length
      ? ' with delivery'
      : known > 0
        ? ', with delivery where stated'
        : ', none states delivery';
  return { ranked, best, compared: bought.length > 1 ? `Lowest of ${bought.length} offers${basis}` : null };
}

/** The most serious doubt about an offer, if there is one, or that its reduction is real. */
export function Trust({ flags = [], claim }: { flags?: string[] | undefined; claim?: Claim | undefined }) {
  const flag = Object.keys(FLAGS).find((one) => flags.includes(one));
  const verdict = claim === undefined || claim.stated_pct === null ? undefined : VERDICTS[claim.verdict];
  if (flag !== undefined) return <Tags of={[FLAGS[flag] ?? flag]} kind="bad" />;
  if (verdict === undefined) return null;
  return <Tags of={[verdict]} kind={claim?.verdict === 'supported' ? 'good' : 'bad'} />;
}

/** The offers of a product, the best first. */
export function OfferTable({
  offers,
  best,
  compared,
}: {
  offers: readonly ShownOffer[];
  best: number | null;
  /** What makes the best offer the best. */
  compared: string | null;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of offers">
      <table class="offers">
        <Head
          of={{
            'Shop and listing': 'text',
            Price: 'number',
            'With delivery': 'number',
            Stock: 'text',
            Shop: 'hidden',
          }}
        />
        <tbody>
          {offers.map((offer) => (
            <tr key={offer.id} class={offer.id === best ? 'selected' : ''}>
              <th scope="row">
                <strong>{shopName(offer.source)}</strong>{' '}
                {offer.id === best && compared !== null && (
                  <span class="badge">{offer.total_price ? 'Lowest with delivery' : 'Lowest price'}</span>
                )}{' '}
                <Rating rating={offer.rating} />
                <br />
                <Text class="note listing-name">{offer.name}</Text>
                {(offer.condition?.value ?? 'new') !== 'new' && (
                  <Tags of={[words(offer.condition?.value ?? '')]} />
                )}
                <Trust flags={offer.flags} claim={offer.claim} />
              </th>
              <td class="number">
                <Price price={offer.price} currency={offer.currency} />
                {offer.unit_price && (
                  <span class="note rank">
                    {money(roundedUnit(offer.unit_price.value), null)} / {offer.unit_price.per}
                  </span>
                )}
              </td>
              <td class="number">
                {offer.total_price ? (
                  <>
                    <span class="narrow">With delivery </span>
                    {money(offer.total_price, null)}
                    {/^0*(\.0*)?$/.test(offer.delivery?.price ?? 'x') && (
                      <span class="note rank">free delivery</span>
                    )}
                  </>
                ) : (
                  <span class="note">
                    <span class="narrow">delivery </span>not stated
                  </span>
                )}
              </td>
              <td>
                <Stock isAvailable={offer.is_available} />
                <br />
                <span class="note">seen {ago(offer.seen_at ?? offer.last_checked)}</span>
              </td>
              <td class="links">
                <ShopLink url={offer.affiliate_url ?? offer.buy_url}>
                  Shop<span class="hidden"> {shopName(offer.source)}</span>
                </ShopLink>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A unit price without the last decimals, which matter only for prices below one. */
const roundedUnit = (value: string): string =>
  value.startsWith('0.') ? value : value.replace(/(\.\d\d)\d+$/, '$1');
