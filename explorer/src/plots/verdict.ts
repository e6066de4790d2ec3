import { money, reduction, shopName } from '../format.js';
import type { PriceHistory } from '../types.js';
import type { PriceSeries } from './price-lines.js';

/**
 * How the best price of a product compares with earlier ones and with the usual best price of all shops:
 * `Lowest ever · 45 % below the usual best price of 479.00`.
 * @param verdict that of the history of the offer, which is one shop's.
 * @param lowestEver the lowest price that any of the shops ever asked; `guides` are those of the period that is shown.
 */
export function verdictOf(
  verdict: PriceHistory['position']['verdict'],
  { price, source }: { price: string | null; source: string },
  { guides, shops }: Pick<PriceSeries, 'guides' | 'shops'>,
  lowestEver: number,
): string {
  const words: Partial<Record<typeof verdict, string>> = {
    lowest_ever: 'Lowest ever',
    low: 'Lower than usual',
    typical: 'Usual price',
    high: 'Higher than usual',
    highest_ever: 'Highest ever',
  };
  const said = words[verdict];
  if (said === undefined || price === null || guides === null)
    return said ?? 'Not observed long enough to judge';
  const isOfAllShops = shops.length === 1 || (verdict === 'lowest_ever' && Number(price) <= lowestEver);
  const below = reduction(100 * (1 - Number(price) / Number(guides.median)));
  const parts = [
    isOfAllShops ? said : `${said} at ${shopName(source)}`,
    ...(below > 0 ? [`${below} % below the usual best price of ${money(guides.median, null)}`] : []),
  ];
  return parts.join(' · ');
}
