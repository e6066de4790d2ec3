import { Type } from 'typebox';

export const ErrorSchema = Type.Object(
  { detail: Type.String({ description: 'What went wrong' }) },
  { $id: 'Error', description: 'An error other than a failed validation' },
);

export const ValidationErrorSchema = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description:
            'The location of the error, such as `["query", "limit"]` or `["body", "product_ids", 1]`',
        }),
        msg: Type.String({ description: 'A message for developers. Do not parse it' }),
        type: Type.String({ description: 'The code of the error, such as `missing` or `less_than_equal`' }),
      }),
    ),
  },
  { $id: 'ValidationError', description: 'All validation errors of a request' },
);
