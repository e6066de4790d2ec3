import { Type } from 'typebox';
import { invalid } from '../../../../platform/errors.js';
import { plainApostrophes } from '../../../../text/fold.js';
import { limitOf } from '../item.js';
import { fittingItems, quoted } from '../text.js';
import type { Tool } from '../tool.js';

const [DEFAULT_LIMIT, MOST] = [50, 500];

export const listCategories: Tool = {
  name: 'list_categories',
  title: 'Categories',
  description: 'Categories with their number of listings, the largest first.',
  input: Type.Object({
    contains: Type.Optional(Type.String({ description: 'Part of the name' })),
    limit: limitOf(MOST, DEFAULT_LIMIT),
  }),
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
    const folded = (text: string) => plainApostrophes(text.toLowerCase());
    const part = folded(String(contains as string));
    const found = all.filter(({ name }) => folded(name).includes(part));
    const { shown: categories, lines } = fittingItems(found.slice(0, most), ({ name, count }) => [
      `${quoted(name, 100)} ${count}`,
    ]);
    const shown = found.length > categories.length ? `, the largest ${categories.length} of them` : '';
    return {
      structured: { total: found.length, categories },
      lines: [`${found.length} categories${shown}`, ...lines],
      ...(found.length === 0 ? { empty: 'Nothing matches: no category has that in its name' } : {}),
    };
  },
};
