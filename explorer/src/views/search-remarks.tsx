import { useApi } from '../api.js';
import { Text } from '../components.js';
import { labelOf, money, plural, shopName, words } from '../format.js';
import type { Page, Product } from '../types.js';
import { ORDERS } from './orders.js';
import type { Extras } from './search-state.js';
import { ALL_PRODUCTS } from './search-url.js';
import { textWithout, withoutFilter } from './without-filter.js';

/** What people read for a parameter that words of the text were applied as. */
const PARAMETERS: Readonly<Record<string, string>> = {
  max_price: 'at most',
  min_price: 'at least',
  in_stock: 'in stock',
  has_price: 'with a price',
  sort: 'order:',
};

/** What people read for the value of a parameter. A limit of the price is in a currency if the words or all prices name one. */
function valueOf(parameter: string, value: string, currency: string | undefined): string[] {
  if (value === 'true') return [];
  if (parameter === 'sort')
    return [(ORDERS.find(([sort]) => sort === value)?.[1] ?? words(value)).toLowerCase()];
  if (parameter === 'source') return [shopName(value)];
  return currency !== undefined && /_price$/.test(parameter) ? [currency, value] : [words(value)];
}

/** What the service understood besides words to search for. Each part can be removed from the text. */
export function Understood({
  extras: { interpreted = [], excluded = [], prices = [] },
  text,
  search,
}: {
  extras: Extras;
  text: string;
  search(text: string): void;
}) {
  const currency = interpreted.find(({ parameter }) => parameter === 'price_currency');
  const parts = [
    ...interpreted
      .filter((one) => one !== currency)
      .map(({ parameter, value, from, to }) => ({
        label: [
          PARAMETERS[parameter] ?? labelOf(parameter),
          ...valueOf(
            parameter,
            value,
            currency?.value ?? (prices.length === 1 ? prices[0]?.currency : undefined),
          ),
        ].join(' '),
        from,
        to,
      })),
    ...excluded
      .filter(({ applied }) => applied)
      .map(({ text: excludedText, from, to }) => ({ label: `without ${excludedText}`, from, to })),
  ];
  if (parts.length === 0) return null;
  // Words that stand for several parameters, such as an amount and its currency, are removed together.
  const spans = [...new Set(parts.map(({ from, to }) => `${from} ${to}`))];
  return (
    <ul class="understood" aria-label="Understood">
      {spans.map((span) => {
        const own = parts.filter(({ from, to }) => `${from} ${to}` === span);
        const [{ from, to } = { from: 0, to: 0 }] = own;
        return (
          <li key={span}>
            <Text>{own.map(({ label }) => label).join(', ')}</Text>
            <button
              type="button"
              aria-label={`Search without “${text.slice(from, to)}”`}
              onClick={() => search(textWithout(text, [{ from, to }]))}
            >
              ✕
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The parameters of a search that leave out no products. */
const NO_FILTER = /^(q|sort|match|interpret|group|include|facets|facet_limit|highlight|limit|offset)$/;

/** Says what was searched for if a word was misspelt, and which of the words the products have unless they have all of them. */
export function Matched({
  extras: { matched, excluded = [], total = 0 },
  text,
  applied,
}: {
  extras: Extras;
  text: string;
  /** The parameters of the search, with those that words of its text were applied as. */
  applied: URLSearchParams;
}) {
  // The view says why nothing was found.
  if (matched === undefined || total === 0) return null;
  const { corrected, kind, mode, all_words: all } = matched;
  const isFiltered =
    [...applied.keys()].some((name) => !NO_FILTER.test(name)) || excluded.some((one) => one.applied);
  // Filters leave out products as well, and the numbers do not say which of both did.
  const isNarrowed = kind !== null && !isFiltered && total < all;
  const remarks = [
    corrected !== undefined && `Showing results for “${corrected}”.`,
    isNarrowed && `In this order, only products of the kind “${kind}” are shown.`,
    !isNarrowed &&
      mode === 'any' &&
      /\S\s+\S/.test(text) &&
      (all === 0
        ? 'No product has all of these words. These have some of them.'
        : 'Few or no products have all of these words. Others have only some of them.'),
  ].filter((remark) => remark !== false);
  return remarks.length === 0 ? null : <p class="partly">{remarks.join(' ')}</p>;
}

/** The lowest price without the filter by price. */
function CheapestWithout({ request, extras }: { request: string; extras: Extras }) {
  const sent = withoutFilter(new URLSearchParams(request.split('?')[1]), 'price', extras);
  for (const name of ['facets', 'facet_limit', 'highlight']) sent.delete(name);
  for (const [name, value] of [
    ['sort', 'price_asc'],
    ['limit', '1'],
    ['fields', 'price,currency,is_available'],
  ] as const)
    sent.set(name, value);
  const { data } = useApi<Page<Product>>({ path: `/v1/search?${sent}` });
  const [cheapest] = data?.items ?? [];
  if (!cheapest?.price) return null;
  return (
    <>
      , from {money(cheapest.price, cheapest.currency)}
      {cheapest.is_available === false && ' (out of stock)'}
    </>
  );
}

/** Why nothing was found, and what would find something. @param request the path of the request that found nothing. */
export function Nothing({ extras, request }: { extras: Extras; request: string }) {
  const { empty } = extras;
  const reasons: Record<string, string> = {
    filters: 'Products match, but none passes all filters.',
    unknown_words: 'No product has any of these words.',
    nothing: 'No product has all of these words.',
  };
  const suggestion = empty?.did_you_mean;
  const without = (empty?.without ?? []).filter(({ total }) => total > 0);
  return (
    <div class="nothing">
      <h2>No products</h2>
      <p>{reasons[empty?.reason ?? 'nothing']}</p>
      {suggestion && (
        <p>
          Did you mean <a href={`/explore?${new URLSearchParams({ q: suggestion })}`}>{suggestion}</a>?
        </p>
      )}
      {!suggestion && without.length === 0 && (
        <p>
          <a href={ALL_PRODUCTS}>Show all products</a>
        </p>
      )}
      {without.length > 0 && (
        <ul>
          {without.map(({ parameter, total }) => (
            <li key={parameter}>
              <a href={`/explore?${withoutFilter(new URLSearchParams(location.search), parameter, extras)}`}>
                Without the filter {labelOf(parameter)}
              </a>
              : {plural(total, 'listing')}
              {parameter === 'price' && <CheapestWithout request={request} extras={extras} />}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
