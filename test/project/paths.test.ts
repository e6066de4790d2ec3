// Not a unit test: loads ESLint with all its rules.
import { assert } from 'chai';
import { ESLint } from 'eslint';

describe('the lint rules', () => {
  const messages = async (code: string, filePath: string) => {
    const [result] = await new ESLint().lintText(code, { filePath });
    return result?.messages.map(({ ruleId }) => ruleId) ?? [];
  };

  it('see paths into tools and test that are no imports', async () => {
    for (const code of [
      "export const url = new URL('../../tools/services.ts', import.meta.url);\n",
      'export const url = new URL(`../test/support/${name}.ts`, import.meta.url);\n',
    ]) {
      assert.deepEqual(await messages(code, 'src/matcher/worker-pool.ts'), ['no-restricted-syntax']);
      assert.deepEqual(await messages(code, 'scripts/link.ts'), ['no-restricted-syntax']);
      assert.deepEqual(await messages(code, 'tools/demo.ts'), []);
    }
    assert.deepEqual(
      await messages("export const method = 'tools/list';\n", 'src/http/agents/mcp/server.ts'),
      [],
    );
  });
});
