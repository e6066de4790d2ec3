import { assert } from 'chai';
import { areDifferentProducts } from '../../src/matching/verdict.js';
import { readProfile } from '../../src/matching/profile.js';

const profile = (name: string, { brand = null as string | null, gtins = [] as string[] } = {}) =>
  readProfile({ name, brand, internal: { gtins, models: [] }, source: 'shop', comparablePrice: null });

describe('areDifferentProducts', () => {
  const makers = ['Asrock', 'Asus'].map((brand) => profile(`${brand} B550 motherboard`, { brand }));
  const cases: [
    what: string,
    a: ReturnType<typeof profile>,
    b: ReturnType<typeof profile>,
    expected: boolean,
  ][] = [
    ['other makers', makers[0] as never, makers[1] as never, true],
    ['other sizes', profile('Samsung SSD 500GB'), profile('Samsung SSD 1TB'), true],
    ['other colours', profile('Apple iPhone 13 128GB black'), profile('Apple iPhone 13 128GB white'), true],
    [
      'a colour that only one states',
      profile('Apple iPhone 13 128GB'),
      profile('Apple iPhone 13 128GB white'),
      false,
    ],
    ['a shared model number', profile('Sony WH-1000XM5 black'), profile('Sony WH-1000XM5 white'), false],
    [
      'a shared GTIN',
      profile('Apple iPhone 13 black', { gtins: ['4548736132580'] }),
      profile('Apple iPhone 13 white', { gtins: ['4548736132580'] }),
      false,
    ],
    [
      'a pack that only one states to be',
      profile('Nivea Soft Cream pack of 3'),
      profile('Nivea Soft Cream'),
      false,
    ],
  ];
  for (const [what, a, b, expected] of cases) {
    it(`is ${expected} for ${what}, in both orders`, () => {
      assert.deepEqual([areDifferentProducts(a, b), areDifferentProducts(b, a)], [expected, expected]);
    });
  }
});
