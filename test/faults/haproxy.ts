import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { freePort, type Program, startProgram } from '../../tools/local-services/index.js';

export const haproxyIsInstalled = spawnSync('haproxy', ['-v']).error === undefined;

/** A proxy in front of instances of the service, and what it reports to operators. */
export interface Proxy extends Program {
  /** The address at which Prometheus, or the exporter of the proxy, reads the metrics. */
  metricsUrl: string;
  /** Returns the log of the proxy: requests as JSON lines, and messages. */
  log(): string;
}

/**
 * Starts HAProxy with `docker/haproxy.cfg` in front of two instances.
 * @param instances the URLs of both instances; at least one of them responds.
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
