import { type TOptional, type TString, Type } from 'typebox';
import { component, listOf, optional, text } from './types.js';

export const ErrorSchema = component('Error', 'An error other than a failed validation', {
  detail: text('What went wrong'),
});

/** A response with an error, as an endpoint documents it, with an example of its text. */
export const failure = (description: string, detail: string) => ({ description, example: { detail } });

/** The 409 to a repeated request whose first answer contained a secret. @param id the member with the id of what was created. */
export const withheldSecret = <Id extends string>(id: Id, $id: string) =>
  Type.Object(
    {
      ...ErrorSchema.properties,
      [id]: optional.text(
        'If the request repeats one with the same `Idempotency-Key`: the id of what that created. Its secret is shown only once',
      ),
    } as typeof ErrorSchema.properties & Record<Id, TOptional<TString>>,
    { $id, description: 'A conflict' },
  );

export const ValidationErrorSchema = component('ValidationError', 'All validation errors of a request', {
  detail: Type.Array(
    Type.Object({
      loc: listOf(
        Type.Union([Type.String(), Type.Integer()]),
        'The location of the error, such as `["query", "limit"]` or `["body", "product_ids", 1]`',
      ),
      msg: text('A message for developers. Do not parse it'),
      type: text('The code of the error, such as `missing` or `less_than_equal`'),
    }),
  ),
});
