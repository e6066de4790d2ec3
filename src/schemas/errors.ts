import { Type } from 'typebox';

export const ErrorSchema = Type.Object(
  { detail: Type.String({ description: 'What went wrong' }) },
  { $id: 'Error', description: 'Any error but a failed validation' },
);

export const ValidationErrorSchema = Type.Object(
  {
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
          description: 'Where: for example `["query", "limit"]` or `["body", "product_ids", 1]`',
        }),
        msg: Type.String({ description: 'What is wrong, for people' }),
        type: Type.String({ description: 'What is wrong, for programs' }),
      }),
    ),
  },
  { $id: 'ValidationError', description: 'Everything that is wrong with a request, at once' },
);
