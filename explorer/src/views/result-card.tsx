import { useState } from 'preact/hooks';
import type { Hit } from '../../../clients/instantsearch/src/index.js';
import { type ApiCall, useApi } from '../api.js';
import { Failure, Loading, Picture, Price, Rating, Reduction, Stock, Text } from '../components.js';
import { plural, sentence, shopName } from '../format.js';
import { viewUrl } from '../router.js';
import { plainName } from './product-title.js';
import type { Claim, Group, Offers, Page, Product, Why } from '../types.js';

type Found = Hit & Product & { group?: Group | null; claim?: Claim };
type CardOffer = Pick<Product, 'source' | 'price' | 'currency' | 'is_available'>;

/**
 * The best offer, unless it does not pass the filters (`applied`). In an order by price, the found listing is the best that
 * passes.
 */
export function offerOnCard(
  found: CardOffer & { group?: Group | null },
  applied: URLSearchParams,
): CardOffer {
  const best = found.group?.best_offer;
  if (!best || applied.get('sort')?.startsWith('price_') || applied.get('sort') === 'discount') return found;
  const [min, max] = [applied.get('min_price'), applied.get('max_price')];
  const limitedIn = applied.get('price_currency') ?? best.currency;
  const passes =
    (!applied.has('source') || applied.getAll('source').includes(best.source)) &&
    (applied.get('in_stock') !== 'true' || best.is_available === true) &&
    ((min === null && max === null) || limitedIn === best.currency) &&
    (min === null || Number(best.price) >= Number(min)) &&
    (max === null || Number(best.price) <= Number(max));
  return passes ? best : found;
}

/** A product in the results, with its offers on demand. */
export function ResultCard({
  hit,
  name,
  query,
  applied,
}: {
  hit: Hit;
  /** Another name than its own. */
  name: string | undefined;
  query: string;
  /** The parameters of the search, with those that words of its text were applied as. */
  applied: URLSearchParams;
}) {
  const item = hit as Found;
  const [isOpen, setOpen] = useState(false);
  const { group } = item;
  const offers = group?.offers ?? 1;
  const offer = offerOnCard(item, applied);
  const sort = applied.get('sort') ?? 'relevance';
  const observed = item.claim?.observed_pct ?? undefined;
  const url = viewUrl(`/explore/products/${item.objectID}`, { q: query });
  return (
    <li class="card">
      {/* The link in the heading is the one for keyboards and screen readers. */}
      <a class="picture-link" href={url} tabIndex={-1} aria-hidden="true">
        <Picture of={item} />
      </a>
      <div class="card-body">
        <h2>
          <a href={url}>
            <Text>
              <Highlight text={name ?? plainName(item._highlightResult['name']?.value ?? item.name)} />
            </Text>
          </a>
        </h2>
        <p class="facts">
          {item.brand !== null && <Text class="brand">{item.brand}</Text>}
          {/* A rating is that of a listing, and the price may be that of another shop. */}
          <Rating rating={item.rating} at={offer.source === item.source ? undefined : item.source} />
        </p>
        <p class="amount">
          <Price price={offer.price} currency={offer.currency} /> <Stock isAvailable={offer.is_available} />
        </p>
        {sort === 'discount' && (
          <p class="note">
            <Reduction
              percent={observed ?? item.claim?.stated_pct ?? 0}
              than={
                observed === undefined ? 'what this shop states' : 'the lowest price of 30 days at this shop'
              }
            />
          </p>
        )}
        <p class="note">
          {offers > 1
            ? `at ${shopName(offer.source)} · ${plural(offers, 'offer')} in ${plural(group?.sources ?? 1, 'shop')}`
            : `Only at ${shopName(item.source)}`}
        </p>
        <p class="actions">
          {offers > 1 && (
            <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Offers
            </button>
          )}
        </p>
      </div>
      {isOpen && <OfferList id={item.id} />}
    </li>
  );
}

/** A text with the matching words marked. */
function Highlight({ text }: { text: string }) {
  const parts = text.split(/[\u0001\u0002]/);
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

function OfferList({ id }: { id: number }) {
  const call: ApiCall = { path: `/v1/products/${id}/offers` };
  const { data, failure } = useApi<Offers>(call);
  if (failure !== null) return <Failure error={failure} />;
  if (data === null) return <Loading what="the offers" />;
  return (
    <div class="card-more">
      <ul class="offer-list">
        {data.offers.slice(0, 6).map((offer) => (
          <li key={offer.id}>
            <span>{shopName(offer.source)}</span>
            <Price price={offer.price} currency={offer.currency} />
            <Stock isAvailable={offer.is_available} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const CLAUSES: Readonly<Record<string, string>> = {
  words: 'how well its words match',
  all_words: 'it has all the words',
  kind: 'it is the kind of thing that you name',
  model_number: 'its model number matches',
  identifier: 'its identifier matches',
  identifier_part: 'a part of its identifier matches',
  linked: 'it is an offer of the product with this identifier',
  pinned: 'a rule of the catalogue puts it first',
};

/** The parts of the score of a listing among the products that a text finds. */
export function WhyHere({ id, q }: { id: number; q: string }) {
  const call: ApiCall = {
    path: viewUrl('/v1/search', { q, limit: 100, group: 'product', explain: 'true', fields: 'name' }),
  };
  const { data, failure } = useApi<Page<{ id: number; why?: Why }>>(call);
  if (failure !== null) return <Failure error={failure} />;
  if (data === null) return <Loading what="the reasons" />;
  const why = data.items.find((item) => item.id === id)?.why;
  return (
    <div class="card-more">
      {why === undefined ? (
        <p>It is not among the results of the words alone.</p>
      ) : (
        <>
          <table class="plain">
            <caption>Parts of the score</caption>
            <tbody>
              {Object.entries(why.clauses).map(([clause, score]) => (
                <tr key={clause}>
                  <th scope="row">{sentence(CLAUSES[clause] ?? clause)}</th>
                  <td>{Math.round(score * 10) / 10}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {why.missing.length > 0 && <p>It lacks: {why.missing.join(', ')}</p>}
        </>
      )}
    </div>
  );
}
