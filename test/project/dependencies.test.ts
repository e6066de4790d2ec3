import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { DEPENDENCIES_FILE, productionDependencies, withVersions } from '../../tools/dependencies.js';

/** The packages whose purpose the document states. After `@scope/one`, the names that follow in an entry have the same scope. */
function describedPackages(document: string): string[] {
  const [, section = ''] = document.split(/^## In production$/m);
  const [list = ''] = section.split(/^(?=What is our own code)|^###? /m);
  return [...list.matchAll(/^- ([^:]+): /gm)].flatMap(([, entry = '']) => {
    const names = entry.split(', ');
    const scope = /^@[^/]+\//.exec(names[0] ?? '')?.[0] ?? '';
    return names.map((name, i) => (i === 0 || name.startsWith('@') ? name : scope + name));
  });
}

describe('the list of production dependencies', () => {
  const document = readFileSync(DEPENDENCIES_FILE, 'utf8');
  const dependencies = [...productionDependencies().keys()];

  it('states the purpose of each and of no other', () => {
    assert.isAbove(dependencies.length, 30);
    assert.sameMembers(describedPackages(document), dependencies);
  });

  it('states the version in use and the last release of each', () => {
    assert.equal(withVersions(document), document, 'run npm run dependencies');
    assert.notMatch(document, /`: unknown$/m, 'run npm run dependencies -- --releases');
  });

  it('reads several packages of an entry, with the scope of the first', () => {
    const list =
      '## In production\n\n- @one/a, b: x\n- c, @two/d: y (e: z)\n\nWhat is our own code:\n\n- f: z\n\n## In development\n- g: x\n';
    assert.deepEqual(describedPackages(list), ['@one/a', '@one/b', 'c', '@two/d']);
  });
});
