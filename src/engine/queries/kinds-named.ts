import { isAccessoryNoun, kindsInQuery } from '../../naming/kinds.js';
import { withoutFillers } from '../../text/stop-words.js';
import { DESCRIBING } from '../../text/vocabulary.js';
import type { QueryClause } from './selection.js';

/** A kind of thing, such as a laptop, that a query text may name. */
export interface NamedKind {
  kind: string;
  query: QueryClause;
}

const MAX_OTHER_NOUNS = 5;

/**
 * The kinds of thing that a query text may name, the most likely one first: the head noun, then the other nouns from the last to
 * the first ("office chair lumbar support" may be a chair), then a brand.
 */
export interface KindsNamed {
  head: NamedKind;
  others: NamedKind[];
  brand: NamedKind;
}

/** Reads the kinds of thing that a query text may name; null if it names none. */
export function kindsNamed(text: string): KindsNamed | null {
  const kinds = kindsInQuery(withoutDescribing(withoutFillers(text)));
  const namedKind = (kind: string, should: QueryClause[]): NamedKind => {
    // An accessory, such as a sleeve in the category of laptops, is not of the kind, unless the text names an accessory.
    const must_not = kinds.isAccessory || isAccessoryNoun(kind) ? [] : [ACCESSORY];
    return { kind, query: { bool: { should, minimum_should_match: 1, must_not } } };
  };
  const [last] = kinds.headNouns;
  if (last === undefined) return null;
  const accessory = kinds.isAccessory && !isAccessoryNoun(last) ? accessoryIn(text) : undefined;
  const noun = accessory ?? last;
  return {
    head: namedKind(noun, (accessory === undefined ? kinds.headNouns : [accessory]).map(ofKind)),
    others: kinds.otherNouns
      .toReversed()
      .slice(0, MAX_OTHER_NOUNS)
      .map((one) => namedKind(one, [ofKind(one)])),
    brand: namedKind(
      noun,
      kinds.headNouns.map((brand) => ({ match: { brand: { query: brand, operator: 'and' } } })),
    ),
  };
}

/** The first word of a text that names an accessory. In Malay, the noun comes first: "charger laptop". */
const accessoryIn = (text: string): string | undefined =>
  text.toLowerCase().split(/\s+/).find(isAccessoryNoun);

function withoutDescribing(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => !DESCRIBING.has(word.toLowerCase()))
    .join(' ');
}

const ofKind = (kind: string): QueryClause => ({
  match: { 'internal.kinds': { query: kind, operator: 'and' } },
});

/** Matches the listings of accessories. */
export const ACCESSORY: QueryClause = { term: { 'internal.accessory': true } };
