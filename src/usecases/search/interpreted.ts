import type { Static } from 'typebox';
import type { Context } from '../context.js';
import { interpret, type Reading } from '../../engine/queries/interpret/interpret.js';
import { maySaySource } from '../../engine/queries/interpret/sources.js';
import { sourceCodesRequest } from '../../engine/queries/sources.js';
import type { InterpretedSchema, SearchParameters } from '../../schemas/search.js';
import { limitsConverted } from './limits-converted.js';

/** A search with what its words were read as: those of `interpreted` are applied to `query`, whose `q` is the rest. */
interface Interpreted {
  query: SearchParameters;
  /** undefined: it was not asked for. */
  interpreted: Static<typeof InterpretedSchema>[] | undefined;
}

/** What the words of a search narrow and sort by; a parameter that is given wins over its words. */
export async function interpreted(
  context: Pick<Context, 'es' | 'products' | 'rates'>,
  query: SearchParameters,
): Promise<Interpreted> {
  const { q = '' } = query;
  if (query.interpret !== true) return { query, interpreted: undefined };
  const { text, read } = interpret(q, { sources: maySaySource(q) ? await sourcesIn(context) : [] });
  const asSaid = read.filter((reading) => isFree(reading, query, read));
  const applied = await limitsConverted(context, asSaid);
  // An order by relevance needs something to be relevant to.
  const { sort, ...rest } = query;
  const kept = sort === undefined || (sort === 'relevance' && text === '') ? rest : query;
  return { query: { ...kept, ...parametersOf(applied), q: text }, interpreted: applied };
}

/** Whether an answer that words make depends on the time of day: deals have an end. */
export const readsDiscount = ({ q = '', interpret: isOn }: SearchParameters): boolean =>
  isOn === true && interpret(q, { sources: [] }).read.some(({ value }) => value === 'discount');

async function sourcesIn({ es, products }: Pick<Context, 'es' | 'products'>): Promise<string[]> {
  const { aggregations } = await es.search<unknown, { sources: { buckets: { key: string }[] } }>({
    index: products,
    ...sourceCodesRequest,
  });
  return (aggregations?.sources.buckets ?? []).map(({ key }) => key);
}

/** Whether the parameters that are given leave room for what was read. */
function isFree(
  { parameter, value, from }: Reading,
  given: SearchParameters,
  read: readonly Reading[],
): boolean {
  switch (parameter) {
    case 'source':
      return isNone(given.source) && isNone(given.platform);
    case 'currency':
      return isNone(given.currency) && read.some((one) => isLimit(one) && isFree(one, given, read));
    case 'min_price':
    case 'max_price': {
      const { min_price: min = parameter === 'min_price' ? value : '0', max_price: max = value } = given;
      const code = read.find((one) => one.parameter === 'currency' && one.from === from)?.value;
      // As numbers: no price takes part in this comparison.
      const fits = given[parameter] === undefined && Number(min) <= Number(max);
      return fits && (code === undefined || isNone(given.currency) || includes(given.currency, code));
    }
    default:
      return given[parameter] === undefined;
  }
}

const isLimit = ({ parameter }: Reading): boolean => parameter === 'min_price' || parameter === 'max_price';

const isNone = (values: readonly string[] | undefined): boolean => (values ?? []).length === 0;

const includes = (codes: readonly string[] = [], code: string): boolean =>
  codes.some((one) => one.toUpperCase() === code);

/** As validation would have read them from a URL. */
const parametersOf = (applied: readonly Reading[]): Partial<SearchParameters> =>
  Object.fromEntries(
    applied.map(({ parameter, value }) => {
      if (parameter === 'in_stock') return [parameter, value === 'true'];
      return [parameter, parameter === 'source' || parameter === 'currency' ? value.split('|') : value];
    }),
  );
