import { assert } from 'chai';
import { layOut } from './request-layout.js';

describe('the layout of a request', () => {
  const fields = ['name', 'brand'];
  const long = 'x'.repeat(70);

  it('joins the keys of objects with a single member, and breaks what is too long for a line', () => {
    const request = {
      query: { bool: { filter: [{ term: { id: 7 } }, { match: { name: { query: long, boost: 2 } } }] } },
      sort: [{ id: 'asc' }],
      from: 0,
    };
    assert.equal(
      layOut(request),
      [
        'query/bool/filter:',
        '  - {term/id: 7}',
        `  - {match/name: {query: "${long}", boost: 2}}`,
        'sort: [{id: "asc"}]',
        'from: 0',
      ].join('\n'),
    );
    assert.equal(
      layOut([{ a: { b: long, c: long } }]),
      ['- a:', `    b: "${long}"`, `    c: "${long}"`].join('\n'),
    );
  });

  it('states values by their names', () => {
    assert.equal(
      layOut({ match: { fields, query: 'a' } }, { FIELDS: fields }),
      'match: {fields: FIELDS, query: "a"}',
    );
    assert.equal(layOut({ match: { fields } }, { QUERY: { fields } }), 'match: QUERY');
  });

  it('differs for every two requests that differ', () => {
    const values = [1, '1', true, 'true', null, 'null', {}, [], [{}], [[]], '', { a: 1 }, { a: '1' }, 'a: 1'];
    const layouts = values.flatMap((value) => [
      layOut(value),
      layOut({ value }),
      layOut([value, long, long]),
    ]);
    assert.lengthOf(new Set(layouts), 3 * values.length);
  });
});
