import { readFileSync } from 'node:fs';
import { assert } from 'chai';

interface Lock {
  packages: Record<string, { license?: string; dev?: boolean }>;
}

/** Licences under which a service may be hosted and passed on without a condition that its users must know of. */
const PERMISSIVE = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];

/** Linked at run time, replaceable, and not changed: libvips, which sharp brings as a library of its own. */
const LIBVIPS = /^node_modules\/@img\/sharp-(libvips-|win32-|wasm32)/;

/** Seen to fail: with MIT taken off the list. */
describe('licences', () => {
  const path = new URL('../../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  const used = Object.entries(packages).filter(([name, { dev }]) => name !== '' && dev !== true);

  it('of all that production installs are permissive, but for libvips', () => {
    assert.isAbove(used.length, 100);
    const others = used.filter(
      ([name, { license = 'none' }]) =>
        !PERMISSIVE.includes(license) && !(LIBVIPS.test(name) && license.includes('LGPL-3.0-or-later')),
    );
    assert.deepEqual(
      others.map(([name, { license }]) => `${name}: ${license}`),
      [],
    );
  });
});
