import { type Static, Type } from 'typebox';
import { Enum, money, nullable, orNull } from './types.js';

/** What a search made of a text. */
export const ExplanationSchema = Type.Object(
  {
    words: Type.Array(
      Type.Object({
        word: Type.String({ description: 'As it was looked for; words of asking are not' }),
        known: Type.Boolean({
          description: 'Whether any listing of the catalogue has it, whatever the filters',
        }),
        read_as: nullable('string', 'What it was corrected to; null: nothing'),
        synonyms: Type.Array(Type.String(), { description: 'What finds listings too, as the index has it' }),
      }),
      { description: 'The first 20 words' },
    ),
    identifiers: Type.Array(Type.String(), { description: 'GTINs among the words, as fourteen digits' }),
    phrases: Type.Array(Type.String(), { description: 'What stood in quotes' }),
    corrected_query: nullable('string', 'What was searched for instead; null: nothing was corrected'),
    found_all: Type.Integer({ description: 'Listings with every word, within the filters' }),
    found_any: Type.Integer({ description: 'Listings with any of them, within the filters' }),
  },
  { $id: 'Explanation' },
);

/** Which set of listings a search lists. */
export const MatchedSchema = Type.Object(
  {
    mode: Enum(['any', 'all'], {
      description: 'Whether listings with any of the words are listed, or those with all',
    }),
    all_words: Type.Integer({
      description: 'Listings of the catalogue that have all the words that count, whatever the filters',
    }),
    kind: nullable(
      'string',
      'The word of `q` that names the kind of thing, or the brand, that the listings are narrowed to; null: they are not',
    ),
  },
  { $id: 'Matched', description: 'With `explain=true` or a given `match`: which set of listings this is' },
);

/** Why a listing stands where it does. */
export const WhySchema = Type.Object(
  {
    clauses: Type.Record(Type.String(), Type.Number(), {
      description:
        'What the listing scores by: `words`; `all_words` where none is missing; being of the `kind` asked for; ' +
        '`neighbours` that are one word; `model_number`, `identifier_part`, `identifier`',
    }),
    missing: Type.Array(Type.String(), { description: 'Words that it does not have' }),
  },
  { $id: 'Why' },
);

/** Why a listing is not the best offer of a product. */
export const ConsideredOfferSchema = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String({ description: 'As the shop has it' }),
    price: money('As the listing has it, in its own currency'),
    currency: nullable('string', 'ISO 4217 code; null: the listing does not say'),
    rejected: orNull(
      Enum(['accessory', 'other_model', 'other_size', 'flagged', 'out_of_stock', 'dearer']),
      'null: it is the answer. Not the product: `accessory` goes with it or is a part of it; `other_size` has another ' +
        'size or number of pieces than `q`, or does not say that one; `other_model` is another model, brand, colour or ' +
        'thing, or does not tell that it is this one. The product, but: `flagged`, its price is not trusted; ' +
        '`out_of_stock`; `dearer`, or costs as much and has a later id, or its currency has no rate',
    ),
  },
  { $id: 'ConsideredOffer' },
);
export type ConsideredOffer = Static<typeof ConsideredOfferSchema>;

/** Why a candidate is no match of a listing. */
export const ConsideredMatchSchema = Type.Object(
  {
    id: Type.Integer(),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'Probability that it is the same product' }),
    rejected: Enum(['contradicted', 'less_likely', 'not_linked'], {
      description:
        '`contradicted`: another size, colour, number of pieces, model or brand, or an accessory, whatever else agrees; ' +
        '`less_likely`: nothing rules it out, but too little agrees; `not_linked`: it is likely by itself, but ' +
        '`npm run link`, which looks at all listings of a product, put it with others or found nothing that holds them together, or people decided that it is another product',
    }),
  },
  { $id: 'ConsideredMatch' },
);
export type ConsideredMatch = Static<typeof ConsideredMatchSchema>;

/** Why a search finds nothing. */
export const EmptySchema = Type.Object(
  {
    reason: Enum(['filters', 'unknown_words', 'nothing'], {
      description:
        '`filters`: there are such listings, and the filters leave none; `unknown_words`: no listing has any of the words; ' +
        '`nothing`: none has all of them',
    }),
    without: Type.Array(Type.Object({ parameter: Type.String(), total: Type.Integer() }), {
      description: 'How many there are without one of the filters, for up to four of them',
    }),
    did_you_mean: nullable('string', 'Another text, which finds listings; null: none is near'),
  },
  { $id: 'Empty' },
);
