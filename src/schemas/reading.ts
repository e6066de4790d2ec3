import { type Static, Type } from 'typebox';
import { nullable } from './types.js';

/** How matching understands the name of a listing. */
export const ReadingSchema = Type.Object(
  {
    maker: nullable(
      'string',
      'The brand that the listing states, or the inferred one; null if neither is known',
    ),
    line: nullable('string', 'The product line, such as `galaxy`'),
    model: nullable('string', 'The model within the line, such as `s24`, or the model number'),
    variant: nullable(
      'string',
      'The words that tell variants of the model apart, such as `ultra` or the `2` of "Mark II"',
    ),
    kind: nullable(
      'string',
      'The noun that says what the product is, from the name or else from the category',
    ),
    sizes: Type.Array(Type.String(), {
      description: 'The sizes and capacities that the name or the metadata states, in metric or common units',
      examples: [['256 GB', '6.8 in']],
    }),
    count: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The number of pieces, users or licences; null if the name states none',
    }),
    colour: nullable('string', 'The colours, separated by commas'),
    edition: nullable('string', 'The kind of sale, such as `refurbished`, `upgrade` or `academic`'),
    compatible_with: Type.Array(Type.String(), {
      description: 'The products that the listing goes with, as its name states them after "for"',
    }),
    specification: Type.Array(Type.String(), {
      description:
        'The parts of the name after the words that name the product. Many products share them, so they are weak evidence',
    }),
  },
  {
    $id: 'Reading',
    description:
      'With `explain=true`: how matching understands the name. Words are in the form in which they are compared: in lower ' +
      'case and in the singular',
  },
);
export type NameReading = Static<typeof ReadingSchema>;
