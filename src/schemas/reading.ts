import { type Static, Type } from 'typebox';
import { ConditionSchema } from './condition.js';
import { ROLES, SCOPES } from './roles.js';
import { component, Enum, listOf, nullable, optional } from './types.js';

const ReadTokenSchema = component(
  'ReadToken',
  'A word of `name`, by UTF-16 offsets, about what is sold (`item`), made for (`target`), or comes with it',
  { text: Type.String(), from: Type.Integer(), to: Type.Integer(), role: Enum(ROLES), scope: Enum(SCOPES) },
);
export type ReadToken = Static<typeof ReadTokenSchema>;

/** How matching understands the name of a listing. */
export const ReadingSchema = component(
  'Reading',
  'How the name is understood. Words are in lower case and in the singular',
  {
    maker: nullable('string', 'The stated or inferred brand'),
    line: nullable('string', 'The product line, such as `galaxy`'),
    model: nullable('string', 'The model within the line, such as `s24`, or the model number'),
    variant: nullable('string', 'The words that tell variants of the model apart, such as `ultra`'),
    kind: nullable(
      'string',
      'The noun that says what the product is, from the name or else from the category',
    ),
    sizes: listOf(
      Type.String(),
      'The sizes and capacities that the name or the metadata states, in metric or common units',
      ['256 GB', '6.8 in'],
    ),
    count: nullable('integer', 'The number of pieces, users or licences; null if the name states none'),
    colour: nullable('string', 'The colours, separated by commas'),
    edition: nullable('string', 'The kind of sale, such as `refurbished`, `upgrade` or `academic`'),
    compatible_with: listOf(
      Type.String(),
      'The products that the listing goes with, as its name states them after "for"',
    ),
    specification: listOf(Type.String(), 'The parts of the name after the words that name the product'),
    condition: Type.Optional(ConditionSchema),
    tokens: optional.Array(ReadTokenSchema),
  },
);
export type NameReading = Static<typeof ReadingSchema>;
