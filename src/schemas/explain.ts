import { type Static, type TObject, Type } from 'typebox';
import { Enum, flag, integer, money, nullable, orNull, text } from './types.js';

/** The part of a response that explains how a search interpreted its text. */
export const ExplanationSchema = Type.Object(
  {
    words: Type.Array(
      Type.Object({
        word: text('The word as it was searched for. Phrases such as "where can I buy" are not included'),
        known: flag('Whether any listing of the catalogue has it, without regard to filters'),
        read_as: nullable('string', 'The correction; null if the word was not corrected'),
        synonyms: Type.Array(Type.String(), { description: 'Synonyms that also match, as indexed terms' }),
      }),
      { description: 'The first 20 words' },
    ),
    identifiers: Type.Array(Type.String(), { description: 'GTINs among the words, with 14 digits' }),
    phrases: Type.Array(Type.String(), { description: 'The phrases in quotes' }),
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
    rules: Type.Array(Type.String(), {
      description:
        'The names of the merchandising rules that acted, in the order of their file (`npm run rules`)',
    }),
  },
  { $id: 'Explanation' },
);

/** The description of the set of listings that a search returns. */
export const MatchedSchema = Type.Object(
  {
    mode: Enum(['any', 'all'], { description: 'Whether the listings have any, or all, of the words' }),
    all_words: integer(
      'Number of listings in the catalogue with all the words that count, without regard to filters',
    ),
    kind: nullable(
      'string',
      'The word of `q` that names the kind of thing, or the brand, to which the listings are narrowed; null if they are not',
    ),
  },
  {
    $id: 'Matched',
    description: 'With `explain=true` or a given `match`: the set of listings that the page lists',
  },
);

/** The part of a response that explains the rank of a listing. */
export const WhySchema = Type.Object(
  {
    clauses: Type.Record(Type.String(), Type.Number(), {
      description:
        'The parts of the score: `words`; `all_words` if no word is missing; `kind` if the listing is of the kind that `q` ' +
        'names; `neighbours` for adjacent words; `model_number`, `identifier_part`, `identifier`; `linked` if the listing is an ' +
        'offer of the same product as the listing whose identifier or model number is `q`; `pinned` instead of `words` ' +
        'if a merchandising rule puts the listing before others',
    }),
    missing: Type.Array(Type.String(), { description: 'The words that the listing does not have' }),
  },
  { $id: 'Why' },
);

/** Why a listing is not the best offer of a product. */
export const ConsideredOfferSchema = Type.Object(
  {
    id: Type.Integer(),
    name: text('As the shop has it'),
    price: money('As the listing has it, in its own currency'),
    currency: nullable('string', 'ISO 4217 code; null: the listing does not say'),
    rejected: orNull(
      Enum([
        'accessory',
        'other_model',
        'other_size',
        'flagged',
        'out_of_stock',
        'no_delivery_price',
        'dearer',
      ]),
      'null: it is the answer. Not the product: `accessory` goes with it or is a part of it; `other_size` has another ' +
        'size or number of pieces than `q`, or does not say that one; `other_model` is another model, brand, colour or ' +
        'thing, or does not tell that it is this one. The product, but: `flagged`, its price is not trusted; ' +
        '`out_of_stock`; `no_delivery_price`, with `rank_by=total`; `dearer`, or costs as much and has a later id, or its ' +
        'currency has no rate',
    ),
  },
  { $id: 'ConsideredOffer' },
);
export type ConsideredOffer = Static<typeof ConsideredOfferSchema>;

/** Why a listing is not an answer to a best price for which no listing is found. */
export const nearestMembers = {
  rejected: Enum(['accessory', 'other_model', 'other_size', 'no_price', 'dearer'], {
    description:
      'Why it is not an answer. Not the product, or not certainly: `accessory`, `other_size` and `other_model`, as in ' +
      '`considered`. The product, but: `no_price`; `dearer`, its price is above the limit in `q`',
  }),
  missing: Type.Array(Type.String(), { description: 'The words of `q` that the listing does not state' }),
};
export type NearestListing = Static<TObject<typeof nearestMembers>>;

/** The part of a response that explains why a candidate is not a match of a listing. */
export const ConsideredMatchSchema = Type.Object(
  {
    id: Type.Integer(),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Probability that it is the same product' }),
    rejected: Enum(['contradicted', 'less_likely', 'not_linked'], {
      description:
        '`contradicted`: another size, colour, number of pieces, model or brand, or an accessory, whatever else agrees; ' +
        '`less_likely`: nothing rules it out, but too little agrees; `not_linked`: it is likely by itself, but ' +
        '`npm run link`, which looks at all listings of a product, put the listing into a group with other offers, or people decided that it is another product',
    }),
  },
  { $id: 'ConsideredMatch' },
);
export type ConsideredMatch = Static<typeof ConsideredMatchSchema>;

/** The part of a response that explains why the result is empty. */
export const EmptySchema = Type.Object(
  {
    reason: Enum(['filters', 'unknown_words', 'nothing'], {
      description:
        '`filters`: listings match, but none passes the filters; `unknown_words`: no listing has any of the words; ' +
        '`nothing`: no listing has all of them',
    }),
    without: Type.Array(Type.Object({ parameter: Type.String(), total: Type.Integer() }), {
      description: 'The number of matches without one of the filters, for up to four filters',
    }),
    did_you_mean: nullable('string', 'A similar text that finds listings; null if there is none'),
  },
  { $id: 'Empty' },
);
