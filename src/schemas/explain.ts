import { type Static, type TObject, Type } from 'typebox';
import {
  component,
  Enum,
  flag,
  integer,
  listOf,
  money,
  nullable,
  optional,
  orNull,
  probability,
  text,
} from './types.js';

/** The part of a response that explains how a search interpreted its text. */
export const ExplanationSchema = component('Explanation', {
  words: listOf(
    Type.Object({
      word: text('The word as it was searched for. Phrases such as "where can I buy" are not included'),
      known: flag('Whether any listing of the catalogue contains the word, without regard to filters'),
      read_as: nullable('string', 'The corrected word; null if the word was not corrected'),
      synonyms: listOf(Type.String(), 'Synonyms that also match, as indexed terms'),
    }),
    'The first 20 words',
  ),
  left_out: listOf(
    Type.String(),
    'The words after the first 40, which are neither searched for nor highlighted',
  ),
  identifiers: listOf(Type.String(), 'GTINs among the words, with 14 digits'),
  phrases: listOf(Type.String(), 'The phrases in quotes'),
  corrected_query: nullable(
    'string',
    'The corrected text that was searched for; null if nothing was corrected',
  ),
  found_all: integer('Number of listings with every word that pass the filters'),
  found_any: integer('Number of listings with any of the words that pass the filters'),
  learned: Type.Object(
    {
      brands: orNull(Type.Integer(), 'The brand dictionary; null if none was learned'),
      matcher: orNull(Type.Integer(), 'The matching model; null if the shipped one is in use'),
    },
    { description: 'The active versions of what `npm run learn` learned from the catalogue' },
  ),
  rules: listOf(
    Type.String(),
    'The names of the merchandising rules that acted, in the order of their file (`npm run rules`)',
  ),
});

/** The description of the set of listings that a search returns. */
export const MatchedSchema = component(
  'Matched',
  'With `explain` or `match`: the set of listings that the page lists',
  {
    mode: Enum(['any', 'all'], { description: 'Whether the listings have any, or all, of the words' }),
    all_words: integer('Number of listings with all the words that count, regardless of filters'),
    kind: nullable(
      'string',
      'The word of `q` for the kind or brand to which the listings are restricted; null if there is none',
    ),
    corrected: optional.text('The text that was searched for, if a word was misspelt'),
  },
);

/** The part of a response that explains the rank of a listing. */
export const WhySchema = component('Why', {
  clauses: Type.Record(Type.String(), Type.Number(), {
    description:
      'The parts of the score: `words`; `all_words` if no word is missing; `kind` if the listing is of the kind that `q` ' +
      'names; `model_number`, `identifier_part`, `identifier`; `linked` if the listing is an ' +
      'offer of the same product as the listing whose identifier or model number is `q`; `pinned` instead of `words` ' +
      'if a merchandising rule puts the listing before others',
  }),
  missing: listOf(Type.String(), 'The words that the listing does not have'),
});

/** Why a listing is not the best offer of a product. */
export const ConsideredOfferSchema = component('ConsideredOffer', {
  id: Type.Integer(),
  name: text('The name of the listing'),
  price: money('The price in the currency of the listing'),
  currency: nullable('string', 'ISO 4217 code; null if the feed states none'),
  rejected: orNull(
    Enum([
      'accessory',
      'other_model',
      'other_size',
      'flagged',
      'price_from',
      'out_of_stock',
      'no_delivery_price',
      'dearer',
    ]),
    'Why the listing is not the answer; null for the answer itself. Listings of other products: `accessory` (an accessory or a ' +
      'part of the product), `other_size` (it states another size or number of pieces than `q`, or none), `other_model` ' +
      '(another model, brand, colour or kind of product, or the name does not show that it is the same one). Listings of the ' +
      'product: `flagged` (the price is not trusted), `price_from` (it is a "from" price), `out_of_stock`, `no_delivery_price` (with `rank_by=total`, the delivery ' +
      'price is unknown), `dearer` (it costs more, or the same with a higher id, or its currency has no exchange rate)',
  ),
});
export type ConsideredOffer = Static<typeof ConsideredOfferSchema>;

/** The reasons why a listing is not the requested product, if the search for a best price finds none. */
export const nearestMembers = {
  rejected: Enum(['accessory', 'other_model', 'other_size', 'no_price', 'dearer', 'condition'], {
    description:
      'Why the listing is not the answer. Another product, or not certainly the same: `accessory`, `other_size` and `other_model`, ' +
      'as in `considered`. The same product: `no_price`, `dearer` if its price is above the limit in `q`, or `condition` if it is not new, or not in the wanted condition',
  }),
  missing: listOf(Type.String(), 'The words of `q` that the listing does not state'),
};
export type NearestListing = Static<TObject<typeof nearestMembers>>;

/** The part of a response that explains why a candidate is not a match of a listing. */
export const ConsideredMatchSchema = component('ConsideredMatch', {
  id: Type.Integer(),
  score: probability('Probability that it is the same product'),
  rejected: Enum(['contradicted', 'less_likely', 'not_linked'], {
    description:
      '`contradicted`: it has another size, colour, number of pieces, model or brand, or is an accessory, whatever else agrees. ' +
      '`less_likely`: nothing rules it out, but too little agrees. `not_linked`: the two listings alone are likely the same ' +
      'product, but `npm run link` put them into different groups, or people decided ' +
      'that they are different products',
  }),
});
export type ConsideredMatch = Static<typeof ConsideredMatchSchema>;

/** The part of a response that explains why the result is empty. */
export const EmptySchema = component('Empty', {
  reason: Enum(['filters', 'unknown_words', 'nothing'], {
    description:
      '`filters`: listings match, but none passes the filters; `unknown_words`: no listing has any of the words, or ' +
      'with `match=all` one of them; ' +
      '`nothing`: no listing has all of the words',
  }),
  without: listOf(
    Type.Object({ parameter: Type.String(), total: Type.Integer() }),
    'For up to four filters: the number of matches without it. `parameter` is `price` for both price limits, and `excluded` for what `q` excludes',
  ),
  did_you_mean: nullable('string', 'A similar text that finds listings; null if there is none'),
});
