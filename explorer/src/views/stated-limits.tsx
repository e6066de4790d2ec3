import { callApi, useApi } from '../api.js';
import type { Extras } from './search-state.js';

type Understood = NonNullable<Extras['interpreted']>;

/** The request that reads words of a text as parameters, none of which the address replaces; null if it states no number. */
const readingOf = (q: string) =>
  /\p{N}/u.test(q)
    ? { path: `/v1/search?${new URLSearchParams({ q, interpret: 'true', limit: '1', fields: 'name' })}` }
    : null;

const isLimit = ({ parameter }: Understood[number]) => /^(min|max)_price$/.test(parameter);

/** Whether a request has limits of the price besides those in its words, which the API then ignores. */
export const hasLimits = (request: string): boolean => /[?&](min|max)_price=/.test(request);

/** Limits of the price, as InstantSearch writes them, without those that a text replaces or contradicts. */
export async function withoutStated(range: string, text: string): Promise<string> {
  const call = readingOf(text);
  // The search itself shows why it fails.
  const answer = call && (await callApi<Extras>(call).catch(() => null));
  const limitOf = (name: string) => answer?.interpreted?.find(({ parameter }) => parameter === name)?.value;
  const [low, high] = [limitOf('min_price'), limitOf('max_price')];
  const [min, max] = range.split(':');
  const keepsMin = low === undefined && !(Number(min) > Number(high));
  const keepsMax = high === undefined && !(Number(max) < Number(low));
  return `${keepsMin ? min : ''}:${keepsMax ? max : ''}`;
}

/** Says which words of a text state a limit of the price that does not apply because another one was chosen, and applies it. */
export function Overruled({
  request,
  text,
  interpreted = [],
  apply,
}: {
  request: string;
  text: string;
  interpreted: Extras['interpreted'];
  apply(): void;
}) {
  const { data } = useApi<Extras>(hasLimits(request) ? readingOf(text) : null);
  const overruled = (data?.interpreted ?? [])
    .filter(isLimit)
    .find(({ parameter }) => !interpreted.some((one) => one.parameter === parameter));
  if (overruled === undefined) return null;
  return (
    <p class="partly">
      “{text.slice(overruled.from, overruled.to)}” does not apply, because the filter by price was chosen.{' '}
      <button type="button" class="quiet" onClick={apply}>
        Apply it instead
      </button>
    </p>
  );
}
