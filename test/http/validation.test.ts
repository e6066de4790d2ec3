import { assert } from 'chai';
import { Type } from 'typebox';
import { Decimal, List } from '../../src/schemas/types.js';
import { bodyCheck, parameterCheck } from '../../src/http/validation.js';

const query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  min_price: Type.Optional(Decimal({ description: '', minimum: 0 })),
  in_stock: Type.Optional(Type.Boolean()),
  format: Type.Optional(Type.Enum(['csv', 'json'])),
  q: Type.String({ minLength: 1 }),
});
const check = parameterCheck(query, 'query');
const types = (raw: Record<string, string>) =>
  check(raw).issues.map(({ loc, type }) => `${loc.join('.')} ${type}`);

describe('validation of parameters', () => {
  it('parses text and fills in defaults; decimals remain text', () => {
    const { value, issues } = check({ q: 'x', min_price: '0.10', in_stock: 'YES', unknown: '1' });
    assert.deepEqual(issues, []);
    assert.deepEqual(value, { q: 'x', min_price: '0.10', in_stock: true, limit: 20 });
  });

  it('counts blank values towards the maximum number of items of a list', () => {
    const lists = Type.Object({
      brand: Type.Optional(List('|', Type.String(), { maxItems: 3, description: '' })),
    });
    const of = parameterCheck(lists, 'query');
    assert.deepEqual(of({ brand: 'a| |b' }).value, { brand: ['a', 'b'] });
    assert.deepEqual(of({ brand: '|||a' }).issues, [
      {
        loc: ['query', 'brand'],
        type: 'too_long',
        msg: 'List should have at most 3 items after validation, not 4',
      },
    ]);
  });

  it('accepts all distinct values of a repeated list, and the last value of any other repeated parameter', () => {
    const many = Type.Object({
      brand: Type.Optional(List('|', Type.String(), { maxItems: 4, description: '' })),
      types: Type.Optional(List(',|', Type.Enum(['a', 'b', 'c']), { maxItems: 4, description: '' })),
      limit: Type.Optional(Type.Integer()),
    });
    const of = parameterCheck(many, 'query');
    assert.deepEqual(of({ brand: ['a|b', 'c', 'a'], types: ['a,b', 'c|a'], limit: ['1', '2'] }), {
      value: { brand: ['a', 'b', 'c'], types: ['a', 'b', 'c'], limit: 2 },
      issues: [],
    });
    const [issue] = of({ brand: ['a|b', 'c|d|e'] }).issues;
    assert.include(issue, {
      type: 'too_long',
      msg: 'List should have at most 4 items after validation, not 5',
    });
    assert.deepEqual(of({ types: ['a', 'x'] }).issues[0]?.loc, ['query', 'types', 1]);
  });

  it('treats an empty list as absent', () => {
    const lists = Type.Object({
      brand: Type.Optional(List('|', Type.String(), { maxItems: 3, description: '' })),
      kinds: Type.Optional(List(',', Type.String(), { maxItems: 3, description: '', default: ['price'] })),
    });
    const of = parameterCheck(lists, 'query');
    for (const text of ['', ' ', '|', ['', ' | ']])
      assert.deepEqual(of({ brand: text, kinds: ',' }), { value: { kinds: ['price'] }, issues: [] });
  });

  it('reports the pattern that a text should match', () => {
    const keys = Type.Object({ scopes: Type.Array(Type.String({ pattern: '^write:\\S+$' })) });
    assert.deepEqual(bodyCheck(keys)({ scopes: ['write:a', 'read'] }).issues, [
      {
        loc: ['body', 'scopes', 1],
        type: 'string_pattern_mismatch',
        msg: "String should match pattern '^write:\\S+$'",
      },
    ]);
  });

  it('passes defaults in the type of the handler; a decimal as text', () => {
    const discounts = Type.Object({
      pct: Type.Optional(Decimal({ description: '', minimum: 0, default: 10 })),
    });
    const checks = [parameterCheck(discounts, 'query'), bodyCheck(discounts)];
    for (const check of checks) {
      assert.deepEqual(check({}), { value: { pct: '10' }, issues: [] });
    }
    assert.deepEqual(checks[0]?.({ pct: '7.50' }).value, { pct: '7.50' });
    assert.propertyVal(discounts.properties.pct, 'default', 10, 'documents show a number');
  });

  for (const text of ['NaN', 'Infinity', '-Infinity', '0x10', '1e400', '1e3', '', ' ', '5 ', '1,5', '١']) {
    it(`takes ${JSON.stringify(text)} for no numeral`, () => {
      assert.deepEqual(types({ q: 'x', min_price: text, limit: text }), [
        'query.limit int_parsing',
        'query.min_price float_parsing',
      ]);
    });
  }

  it('reports all findings at once, in FastAPI’s words', () => {
    const { issues } = check({ limit: '101', min_price: '-1', in_stock: 'maybe', format: 'xml' });
    assert.sameDeepMembers(issues, [
      {
        loc: ['query', 'in_stock'],
        msg: 'Input should be a valid boolean, unable to interpret input',
        type: 'bool_parsing',
      },
      { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 100', type: 'less_than_equal' },
      {
        loc: ['query', 'min_price'],
        msg: 'Input should be greater than or equal to 0',
        type: 'greater_than_equal',
      },
      { loc: ['query', 'format'], msg: "Input should be 'csv' or 'json'", type: 'literal_error' },
      { loc: ['query', 'q'], msg: 'Field required', type: 'missing' },
    ]);
  });

  it('checks the range of numbers of any length', () => {
    assert.deepEqual(types({ q: 'x', limit: '9'.repeat(500) }), ['query.limit less_than_equal']);
  });

  it('does not confuse parameters with inherited members of objects', () => {
    assert.deepEqual(types({ q: 'x', in_stock: 'constructor' }), ['query.in_stock bool_parsing']);
    assert.deepEqual(types({ ['__proto__']: 'x', q: 'x' }), []);
  });
});

describe('validation of bodies', () => {
  const body = bodyCheck(
    Type.Object({
      product_ids: Type.Array(Type.Integer(), { minItems: 2, maxItems: 3 }),
      min_price: Type.Optional(Decimal({ description: '', minimum: 0 })),
    }),
  );
  const found = (value: unknown) => body(value).issues.map(({ loc, type }) => `${loc.join('.')} ${type}`);

  it('accepts integers of an array as text', () => {
    const { value, issues } = body({ product_ids: ['12', 3] });
    assert.deepEqual([value, issues], [{ product_ids: [12, 3] }, []]);
    for (const text of ['', '1e2', '1.0', ' 1', '0x1'])
      assert.deepEqual(found({ product_ids: [1, text] }), ['body.product_ids.1 int_parsing'], text);
  });

  it('reports the position in an array', () => {
    assert.deepEqual(found({ product_ids: [1, 'x', 2.5] }), [
      'body.product_ids.1 int_parsing',
      'body.product_ids.2 int_from_float',
    ]);
  });
  it('reports the number of items', () => {
    assert.deepEqual(found({ product_ids: [1] }), ['body.product_ids too_short']);
    assert.deepEqual(found({ product_ids: [1, 2, 3, 4] }), ['body.product_ids too_long']);
  });
  it('reports missing members and bodies that are not objects', () => {
    assert.deepEqual(found(undefined), ['body missing']);
    assert.deepEqual(found({}), ['body.product_ids missing']);
    for (const value of [null, 3, 'x', []]) assert.deepEqual(found(value), ['body model_attributes_type']);
  });
  it('treats null as absent for optional members only', () => {
    assert.deepEqual(body({ product_ids: [1, 2], min_price: null }), {
      value: { product_ids: [1, 2] },
      issues: [],
    });
    assert.deepEqual(found({ product_ids: null }), ['body.product_ids list_type']);
  });
  it('keeps null where the schema allows it', () => {
    const change = bodyCheck(
      Type.Object({ url: Type.Optional(Type.Unsafe({ type: ['string', 'null'], default: 'x' })) }),
    );
    assert.deepEqual(change({ url: null }).value, { url: null });
    assert.deepEqual(change({}).value, { url: 'x' });
  });
  it('passes decimals as text', () => {
    assert.deepEqual(body({ product_ids: [1, 2], min_price: 0.1 }).value, {
      product_ids: [1, 2],
      min_price: '0.1',
    });
  });
});
