/** A text without some of its parts. */
export function textWithout(text: string, parts: readonly { from: number; to: number }[]): string {
  const left = Array.from({ length: text.length }, (_, at) =>
    parts.some(({ from, to }) => at >= from && at < to) ? ' ' : text.charAt(at),
  );
  return left.join('').replaceAll(/\s+/g, ' ').trim();
}

/** What the service understood of a text besides words to search for, with its place in the text. */
interface Understanding {
  interpreted?: { parameter: string; from: number; to: number }[];
  excluded?: { applied: boolean; from: number; to: number }[];
}

/** The parameters of the filters that the API names by one name. */
const PARAMETERS_OF: Readonly<Record<string, readonly string[]>> = {
  price: ['min_price', 'max_price', 'price_currency'],
  source: ['source', 'platform'],
};

/** Parameters of a search without one of its filters, which may be a parameter or words of its text. */
export function withoutFilter(
  parameters: URLSearchParams,
  filter: string,
  { interpreted = [], excluded = [] }: Understanding,
): URLSearchParams {
  const names = PARAMETERS_OF[filter] ?? [filter];
  const rest = new URLSearchParams(parameters);
  const spans =
    filter === 'excluded'
      ? excluded.filter(({ applied }) => applied)
      : interpreted.filter(({ parameter }) => names.includes(parameter));
  for (const name of [...names, 'page', 'offset']) rest.delete(name);
  rest.set('q', textWithout(parameters.get('q') ?? '', spans));
  return rest;
}
