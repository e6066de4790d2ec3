import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { webAddress } from '../api.js';
import { money, plural, shopName } from '../format.js';
import { HistoryPlot } from '../plots/history-plot.js';
import { PriceNumbers, Verdict } from '../plots/price-summary.js';
import { SpreadPlot } from '../plots/spread.js';
import type { PriceHistory } from '../types.js';
import { connectHost, type Host, type ToolResult } from './host.js';
import './prices.css';

/** The result of `get_price_history`, which has points only with `view=full`, and the latest of them if not all fit. */
type History = Omit<PriceHistory, 'points'> & { points?: PriceHistory['points']; earlier_points?: number };

/** An item of `get_offers`. */
interface Offer {
  id: number;
  name: string;
  source: string;
  price: string | null;
  currency: string | null;
  is_available: boolean | null;
  buy_url: string | null;
}

/** The result of `get_offers`. */
interface Offers {
  name: string;
  total: number;
  sources: number;
  best_offer_id: number | null;
  price_range: { currency: string | null } | null;
  offers: Offer[];
}

/** What the view knows about the call that it shows. */
interface Shown {
  host: Host | null;
  args: Record<string, unknown>;
  result: ToolResult | null;
  isCancelled: boolean;
  /** How often the colours have changed, because a plot has to be drawn again then. */
  theme: number;
}

/** The prices that a tool has returned, in the conversation in which it was called. */
function Prices() {
  const [{ host, args, result, isCancelled, theme }, setShown] = useState<Shown>({
    host: null,
    args: {},
    result: null,
    isCancelled: false,
    theme: 0,
  });
  useEffect(() => {
    const change = (part: Partial<Shown>) => setShown((shown) => ({ ...shown, ...part }));
    void connectHost({
      onArguments: (given) => change({ args: given }),
      onResult: (given) => change({ result: given }),
      onCancelled: () => change({ isCancelled: true }),
      onTheme: () => setShown((shown) => ({ ...shown, theme: shown.theme + 1 })),
    }).then((connected) => change({ host: connected }));
  }, []);
  if (isCancelled) return <p class="note">The request was cancelled.</p>;
  if (result === null) return <p class="note">Waiting for prices…</p>;
  const { structuredContent: data } = result;
  if (data !== undefined && 'offers' in data) return <OfferList of={data as unknown as Offers} host={host} />;
  if (data !== undefined && 'statistics' in data)
    return <HistoryView key={theme} of={data as unknown as History} args={args} host={host} />;
  return <p class="note">{result.content?.[0]?.text ?? 'There is nothing to show.'}</p>;
}

/** Calls a tool for what its result lacks. */
async function ask<Result>(host: Host, name: string, args: Record<string, unknown>): Promise<Result | null> {
  const answer = await host.callTool?.(name, args).catch(() => null);
  return answer?.isError === true ? null : ((answer?.structuredContent ?? null) as Result | null);
}

/** The intervals of points, the finest first. A result has room for about a hundred points. */
const INTERVALS = ['raw', 'week'];

/** Requests the points of a price history, in the finest interval in which all of them fit into a result. */
async function withPoints(host: Host, args: Record<string, unknown>): Promise<History | null> {
  let history: History | null = null;
  for (const interval of INTERVALS) {
    const found = await ask<History>(host, 'get_price_history', { ...args, interval, view: 'full' });
    history = found ?? history;
    if (found?.earlier_points === undefined) break;
  }
  return history;
}

/** A price history. The points that its result lacks are requested if the host allows it. */
function HistoryView({ of, args, host }: { of: History; args: Record<string, unknown>; host: Host | null }) {
  const [{ points, earlier_points: earlier }, setPlotted] = useState(of);
  const [name, setName] = useState<string | null>(null);
  const { product_id: id, currency, statistics, position, coverage, to } = of;
  useEffect(() => {
    if (host === null || host.callTool === null) return;
    void ask<{ item?: { name?: string } }>(host, 'get_product', { product_id: id }).then((product) =>
      setName(product?.item?.name ?? null),
    );
    if (of.points !== undefined && of.earlier_points === undefined) return;
    void withPoints(host, { ...args, product_id: id }).then((history) => {
      if (history !== null) setPlotted(history);
    });
  }, [host]);
  if (statistics === null) return <p class="note">No price of this listing was ever observed.</p>;
  return (
    <>
      <h2>{name === null ? 'Price history' : <bdi>{name}</bdi>}</h2>
      <Verdict position={position} />
      {points !== undefined && points.length > 0 && (
        <HistoryPlot
          lines={[
            {
              label: name ?? 'this listing',
              currency,
              points,
              gaps: coverage.gaps,
              to,
              known: coverage.last_checked,
            },
          ]}
        />
      )}
      {earlier !== undefined && <p class="note">{plural(earlier, 'earlier point')} not shown</p>}
      <PriceNumbers statistics={statistics} currency={currency} />
    </>
  );
}

const STOCK = (isAvailable: boolean | null): string =>
  isAvailable === null ? '' : isAvailable ? 'In stock' : 'Out of stock';

/** The offers of a product: their prices over one scale, as far as they have one currency, and a table. */
function OfferList({ of, host }: { of: Offers; host: Host | null }) {
  const { name, total, sources, offers, best_offer_id: best, price_range: range } = of;
  const comparable = offers.filter(({ price, currency }) => price !== null && currency === range?.currency);
  return (
    <>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <p class="note">
        {plural(total, 'offer')} of {plural(sources, 'shop')}
        {offers.length < total && `, the first ${offers.length}`}
      </p>
      {comparable.length > 1 && (
        <SpreadPlot
          label="Prices by shop"
          rows={comparable.map(({ id, source, price, currency, is_available: isAvailable }) => ({
            key: String(id),
            label: shopName(source),
            text: `${shopName(source)}: ${money(price, currency)}`,
            value: money(price, currency),
            marks: [
              { at: Number(price), kind: isAvailable === false ? 'muted' : id === best ? 'main' : 'other' },
            ],
          }))}
        />
      )}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Offer</th>
              <th scope="col">Shop</th>
              <th scope="col" class="number">
                Price
              </th>
              <th scope="col">Stock</th>
            </tr>
          </thead>
          <tbody>
            {offers.map((offer) => (
              <tr key={offer.id}>
                <th scope="row">
                  <bdi>{offer.name}</bdi>
                </th>
                <td>
                  <Shop offer={offer} host={host} />
                </td>
                <td class="number">{money(offer.price, offer.currency)}</td>
                <td>{STOCK(offer.is_available)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The shop of an offer, whose page the host opens. */
function Shop({ offer: { source, buy_url: url }, host }: { offer: Offer; host: Host | null }) {
  const address = webAddress(url);
  const open = host?.openLink ?? null;
  if (address === null || open === null) return <>{shopName(source)}</>;
  return (
    <button type="button" onClick={() => open(address)}>
      {shopName(source)}
    </button>
  );
}

const place = document.getElementById('app');
if (place !== null) render(<Prices />, place);
