import { assert } from 'chai';
import { Type } from 'typebox';
import { badRequest } from '../../../../src/platform/errors.js';
import { callTool } from '../../../../src/http/agents/mcp/call.js';
import type { Api, Tool, ToolArguments } from '../../../../src/http/agents/mcp/tool.js';

/** Creates a tool that records its arguments. */
function tool(run: (args: ToolArguments) => object = () => ({})) {
  const calls: ToolArguments[] = [];
  const made: Tool = {
    name: 'search_products',
    title: 'Search',
    description: 'Searches',
    output: Type.Object({}),
    input: { type: 'object', properties: { q: Type.String(), limit: Type.Integer() } },
    run: async (args) => {
      calls.push(args);
      return { structured: {}, lines: ['one'], ...run(args) };
    },
  };
  return { made, calls };
}

const api: Api = { call: () => assert.fail('no other endpoint is called'), now: new Date(0) };
const textOf = async (made: Tool, args: ToolArguments): Promise<string> => {
  const { content, isError } = await callTool(made, args, api);
  assert.isTrue(isError);
  return content[0]?.type === 'text' ? content[0].text : '';
};

describe('a call with an argument that the tool does not have', () => {
  it('runs once, as the call that the result suggests', async () => {
    const { made, calls } = tool();
    const text = await textOf(made, { q: 'kettle', colour: 'red' });
    assert.deepEqual(calls, [{ q: 'kettle' }]);
    assert.include(text, 'colour: no such argument');
    assert.include(text, 'This call works: search_products {"q":"kettle"}');
    const renamed = tool();
    assert.include(await textOf(renamed.made, { query: 'kettle' }), 'works: search_products {"q":"kettle"}');
    assert.deepEqual(renamed.calls, [{ q: 'kettle' }]);
  });

  it('reports the findings of the endpoint too, and never suggests a call without results', async () => {
    const refusing = tool(({ limit }) => {
      if (limit === 0) throw badRequest('limit must not be 0');
      return {};
    });
    const text = await textOf(refusing.made, { q: 'kettle', colour: 'red', limit: 0 });
    assert.include(text, 'colour: no such argument');
    assert.include(text, 'limit must not be 0');
    const empty = tool(() => ({ empty: 'No listing' }));
    assert.include(
      await textOf(empty.made, { q: 'kettle', colour: 'red' }),
      'works: search_products {"limit":5}',
    );
    assert.lengthOf(empty.calls, 1);
  });
});
