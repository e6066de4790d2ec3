import type { estypes } from '@elastic/elasticsearch';
import { FIRST_WORDS, LAST_WORDS } from '../../text/accessories.js';
import { kindsAsked } from '../../text/head.js';
import { withoutFillers } from '../../text/stop-words.js';

type Query = estypes.QueryDslQueryContainer;

/** A kind of thing that a text may name. */
export interface NamedKind {
  /** Its noun, or a brand. */
  kind: string;
  /** Listings that are of it. */
  query: Query;
}

/** A text names one of a few kinds; more nouns than these are not tried. */
const MOST = 5;

export interface KindsNamed {
  head: NamedKind[];
  others: NamedKind[];
  brand: NamedKind[];
}

/** Words that only describe a thing, although shops end names with them ("Headphones, wireless"). */
const DESCRIBING = new Set(
  (
    'wireless wired bluetooth usb hdmi portable electric electrical electronic digital smart gaming automatic manual rechargeable cordless ' +
    'waterproof foldable folding adjustable organic natural vegan leather cotton wooden wood plastic metal steel ceramic silicone rubber ' +
    'cancelling canceling noise running outdoor indoor travel professional compact mini heavy duty cheap fast quiet soft ' +
    'tanpa wayar lari murah'
  ).split(' '),
);

/**
 * The kinds of thing that a text may name, the likeliest first: what it is about, then its other nouns from the last to
 * the first ("office chair lumbar support" may be a chair), then a brand, of which accessories are left out.
 */
export function kindsNamed(text: string): KindsNamed {
  const asked = kindsAsked(withoutDescribing(withoutFillers(text)));
  const named = (kind: string, should: Query[]): NamedKind => {
    // A sleeve in a department of laptops is no laptop.
    const must_not = asked.isAccessory || isAccessory(kind) ? [] : [ACCESSORY];
    return { kind, query: { bool: { should, minimum_should_match: 1, must_not } } };
  };
  const [last] = asked.head;
  if (last === undefined) return { head: [], others: [], brand: [] };
  const accessory = asked.isAccessory && !isAccessory(last) ? accessoryIn(text) : undefined;
  const noun = accessory ?? last;
  return {
    head: [named(noun, (accessory === undefined ? asked.head : [accessory]).map(ofKind))],
    others: asked.others
      .toReversed()
      .slice(0, MOST)
      .map((one) => named(one, [ofKind(one)])),
    brand: [
      named(
        noun,
        asked.head.map((brand) => ({ match: { brand: { query: brand, operator: 'and' } } })),
      ),
    ],
  };
}

const isAccessory = (word: string): boolean => LAST_WORDS.has(word) || FIRST_WORDS.has(word);

/**
 * The first accessory that a text names. In Malay and Indonesian the thing that it goes with stands behind it: "charger
 * laptop".
 */
const accessoryIn = (text: string): string | undefined => text.toLowerCase().split(/\s+/).find(isAccessory);

function withoutDescribing(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => !DESCRIBING.has(word.toLowerCase()))
    .join(' ');
}

const ofKind = (kind: string): Query => ({ match: { 'internal.kinds': { query: kind, operator: 'and' } } });

/** Listings of accessories. */
const ACCESSORY: Query = { match: { 'internal.kinds': [...LAST_WORDS, ...FIRST_WORDS].join(' ') } };
