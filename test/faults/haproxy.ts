import { spawnSync } from 'node:child_process';
import { type Program, startProgram } from '../../tools/services/index.js';

export const haproxyIsInstalled = spawnSync('haproxy', ['-v']).error === undefined;

/**
 * HAProxy as `docker/haproxy.cfg` has it, in front of two instances.
 * @param instances URLs of both; one of them answers.
 */
export function startHAProxy(instances: readonly [string, string]): Promise<Program> {
  const [a, b] = instances.map((url) => new URL(url).host);
  return startProgram('haproxy', () => ['-f', 'docker/haproxy.cfg'], {
    ready: '/livez',
    env: (port) => ({ CATALOGUE_BIND: `127.0.0.1:${port}`, CATALOGUE_A: a ?? '', CATALOGUE_B: b ?? '' }),
  });
}
