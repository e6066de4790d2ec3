import { Text } from '../components.js';
import { labelOf, plural, words } from '../format.js';
import type { Extras } from './search-state.js';
import { ALL_PRODUCTS } from './search-url.js';

/** What people read for a parameter that words of the text were applied as. */
const PARAMETERS: Readonly<Record<string, string>> = {
  max_price: 'at most',
  min_price: 'at least',
  in_stock: 'in stock',
  has_price: 'with a price',
  sort: 'order',
};

/** What people read for the value of a parameter. A limit of the price is in a currency if the words name one. */
function valueOf(parameter: string, value: string, currency: string | undefined): string[] {
  if (value === 'true') return [];
  return currency !== undefined && /_price$/.test(parameter) ? [currency, value] : [words(value)];
}

/** What the service understood besides words to search for. Each part can be removed from the text. */
export function Understood({
  extras: { interpreted = [], excluded = [] },
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
          ...valueOf(parameter, value, currency?.value),
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
              onClick={() => search(`${text.slice(0, from)}${text.slice(to)}`.replaceAll(/\s+/g, ' ').trim())}
            >
              ✕
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The address of this search without one of its filters. */
function addressWithout(parameter: string): string {
  const parameters = new URLSearchParams(location.search);
  for (const name of [parameter, 'page']) parameters.delete(name);
  return `/explore?${parameters}`;
}

/** Why nothing was found, and what would find something. */
export function Nothing({ extras: { empty } }: { extras: Extras }) {
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
              <a href={addressWithout(parameter)}>Without the filter {labelOf(parameter)}</a>:{' '}
              {plural(total, 'listing')}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
