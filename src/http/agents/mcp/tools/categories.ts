import { Type } from 'typebox';
import { fittingItems, quoted } from '../text.js';
import type { Tool } from '../tool.js';
import { invalid } from '../../../../platform/errors.js';

const DEFAULT_LIMIT = 50;
const MOST = 500;

export const listCategories: Tool = {
  name: 'list_categories',
  title: 'Categories',
  description: 'Categories with their number of listings, the largest first.',
  input: {
    type: 'object',
    properties: {
      contains: Type.String({ description: 'Part of the name' }),
      limit: Type.Integer({ minimum: 1, maximum: MOST, default: DEFAULT_LIMIT }),
    },
    additionalProperties: false,
  },
  output: Type.Object({
    total: Type.Integer({ description: 'All that match' }),
    categories: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() })),
  }),
  async run({ contains = '', limit = DEFAULT_LIMIT }, { call }) {
    const most = Number(limit);
    if (!(Number.isInteger(most) && most >= 1 && most <= MOST)) {
      const msg = `Input should be an integer from 1 to ${MOST}`;
      throw invalid([{ loc: ['query', 'limit'], msg, type: 'value_error' }]);
    }
    const all = (await call<{ categories: { name: string; count: number }[] }>('GET /v1/categories', {}))
      .categories;
    const part = String(contains as string).toLowerCase();
    const found = all.filter(({ name }) => name.toLowerCase().includes(part));
    const wanted = found.slice(0, most);
    const { shown: categories, lines } = fittingItems(wanted, ({ name, count }) => [
      `${quoted(name, 100)} ${count}`,
    ]);
    return {
      structured: { total: found.length, categories },
      lines: [
        `${found.length} categories${found.length > categories.length ? `, the largest ${categories.length} of them` : ''}`,
        ...lines,
      ],
      ...(found.length === 0 ? { empty: 'Nothing matches: no category has that in its name' } : {}),
    };
  },
};
