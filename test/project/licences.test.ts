import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { assert } from 'chai';

interface Lock {
  packages: Record<string, { version: string; license?: string; dev?: boolean }>;
}

/** The licences under which the service may be hosted and distributed without conditions for its users. */
const PERMISSIVE = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];

/**
 * The packages with libvips, the library that sharp uses under another licence. It is linked at run time,
 * replaceable and unchanged.
 */
const LIBVIPS = /^node_modules\/@img\/sharp-(libvips-|win32-|wasm32)/;

/** This test was seen to fail when MIT was not on the list. */
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
