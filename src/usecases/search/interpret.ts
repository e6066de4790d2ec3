import type { Static } from 'typebox';
import { interpret, mayNameSource, type ParameterWords } from '../../engine/queries/interpret/interpret.js';
import { readSourceCodes } from '../../engine/source-codes.js';
import type { InterpretedSchema } from '../../schemas/search.js';
import type { Context } from '../context.js';
import { withComparableLimits } from '../../products/list-requests.js';
import type { SearchParameters } from './parameters.js';

type InterpretContext = Pick<Context, 'es' | 'products' | 'rates'>;

/** An interpreted search. Its `query` has the parameters that `interpreted` lists, and the remaining text as `q`. */
interface InterpretedQuery {
  query: SearchParameters;
  /** The interpretation of words of the text; undefined if the request does not ask for one. */
  interpreted: Static<typeof InterpretedSchema>[] | undefined;
}

/** Replaces words that stand for parameters ("under 1500") by these, unless the request states another value. */
export async function interpretQuery(
  context: InterpretContext,
  query: SearchParameters,
): Promise<InterpretedQuery> {
  const { q = '' } = query;
  if (query.interpret !== true) return { query, interpreted: undefined };
  const sources = mayNameSource(q) ? await readSourceCodes(context.es, context.products) : [];
  const { text, read } = interpret(q, { sources });
  const applicable = read.filter((words) => isApplicable(words, query, read));
  const applied = withComparableLimits(applicable, context);
  // Sorting by relevance needs a text, so it is dropped if no text remains.
  const { sort, ...rest } = query;
  const kept = sort === undefined || (sort === 'relevance' && text === '') ? rest : query;
  return { query: { ...kept, ...parametersOf(applied), q: text }, interpreted: applied };
}

/** Whether words of the text ask for sorting by discount. The result then depends on the time, since deals end. */
export const meansDiscount = ({ q = '', interpret: isOn }: SearchParameters): boolean =>
  isOn === true && interpret(q, { sources: [] }).read.some(({ value }) => value === 'discount');

/** Whether the parameters that words stand for are compatible with those that the request states. */
function isApplicable(
  { parameter, value, from }: ParameterWords,
  given: SearchParameters,
  all: readonly ParameterWords[],
): boolean {
  switch (parameter) {
    case 'source':
      return isEmpty(given.source) && isEmpty(given.platform);
    case 'currency':
      return isEmpty(given.currency);
    case 'price_currency':
      return (
        given.price_currency === undefined && all.some((one) => isLimit(one) && isApplicable(one, given, all))
      );
    case 'min_price':
    case 'max_price': {
      const { min_price: min = parameter === 'min_price' ? value : '0', max_price: max = value } = given;
      // Price limits are compared as floating-point numbers, which is precise enough here.
      if (given[parameter] !== undefined || Number(min) > Number(max)) return false;
      const code = all.find((one) => one.parameter === 'price_currency' && one.from === from)?.value;
      return code === undefined || (given.price_currency?.toUpperCase() ?? code) === code;
    }
    default:
      return given[parameter] === undefined;
  }
}

const isLimit = ({ parameter }: ParameterWords): boolean =>
  parameter === 'min_price' || parameter === 'max_price';

const isEmpty = (values: readonly string[] | undefined): boolean => (values ?? []).length === 0;

const parametersOf = (applied: readonly ParameterWords[]): Partial<SearchParameters> =>
  Object.fromEntries(
    applied.map(({ parameter, value }) => {
      if (parameter === 'in_stock') return [parameter, value === 'true'];
      return [parameter, parameter === 'source' || parameter === 'currency' ? value.split('|') : value];
    }),
  );
