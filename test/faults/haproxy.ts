import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { freePort, type Program, startProgram } from '../../tools/local-services/index.js';

export const haproxyIsInstalled = spawnSync('haproxy', ['-v']).error === undefined;

/** A proxy in front of instances, with what operators see of it. */
export interface Proxy extends Program {
  /** Where Prometheus, or its exporter, reads. */
  metricsUrl: string;
  /** What it has written: requests as JSON lines, and notices. */
  log(): string;
}

/**
 * HAProxy as `docker/haproxy.cfg` has it, in front of two instances.
 * @param instances URLs of both; one of them answers.
 */
export async function startHAProxy(instances: readonly [string, string]): Promise<Proxy> {
  const [a, b] = instances.map((url) => new URL(url).host);
  const metrics = `127.0.0.1:${await freePort()}`;
  const program = await startProgram('haproxy', () => ['-f', 'docker/haproxy.cfg'], {
    ready: '/livez',
    env: (port) => ({
      CATALOGUE_BIND: `127.0.0.1:${port}`,
      CATALOGUE_METRICS_BIND: metrics,
      CATALOGUE_A: a ?? '',
      CATALOGUE_B: b ?? '',
    }),
  });
  return {
    ...program,
    metricsUrl: `http://${metrics}/metrics`,
    log: () => readFileSync(program.output, 'utf8'),
  };
}
