import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { assert } from 'chai';

interface Lock {
  packages: Record<string, { version: string; license?: string; dev?: boolean }>;
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

  it('are in the SBOM, with their checksums, for each of the packages', function () {
    const text = execFileSync('npm', ['run', '--silent', 'sbom'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { bomFormat, components } = JSON.parse(text) as {
      bomFormat: string;
      components: {
        name: string;
        version: string;
        purl: string;
        properties?: { name: string }[];
        hashes?: unknown[];
      }[];
    };
    assert.equal(bomFormat, 'CycloneDX');
    const forProduction = components.filter(
      ({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
    );
    const listed = new Set(forProduction.map(({ name, version }) => `${name}@${version}`));
    const missing = used
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
      .filter((name) => !listed.has(name));
    assert.deepEqual(missing, []);
    for (const { purl, hashes = [] } of forProduction) assert.isNotEmpty(hashes, purl);
  });
});
