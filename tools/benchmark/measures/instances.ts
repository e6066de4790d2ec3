import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '../../../scripts/shared/exit.js';
import { type Program, startProgram } from '../../local-services/index.js';
import type { BenchFinding } from '../context.js';
import { type BenchContext, type RunningService, startBuiltService } from '../environment.js';
import { measureEndpoint } from './endpoints.js';

/** Measures several instances behind one HAProxy. On a single machine, they share the processors. */
export async function instances(context: BenchContext, counts: readonly number[]): Promise<BenchFinding[]> {
  if (spawnSync('haproxy', ['-v']).error !== undefined)
    throw new CommandError('--instances needs HAProxy: apt-get install haproxy');
  const found: BenchFinding[] = [];
  for (const count of counts) {
    const services: RunningService[] = [];
    try {
      for (let started = 0; started < count; started += 1)
        services.push(
          await startBuiltService({ ...context.environment, TRUST_PROXY: '1' }, context.authorization()),
        );
      const proxy = await startProxy(services);
      try {
        const service = { ...(services[0] as RunningService), url: proxy.url };
        const label = `search, ${count} ${count === 1 ? 'instance' : 'instances'} behind HAProxy`;
        const [throughput] = await measureEndpoint(context, 'search', { service, label });
        if (throughput !== undefined) found.push(throughput);
      } finally {
        await proxy.stop();
      }
    } finally {
      await Promise.all(services.map((service) => service.stop()));
    }
  }
  return found;
}

/** Starts HAProxy as docker/haproxy.cfg does, but without health checks, because no instance stops. */
async function startProxy(services: readonly RunningService[]): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-proxy-'));
  const servers = services.map(({ url }, at) => `  server s${at} ${new URL(url).host} maxconn 500`);
  const config = `defaults
  mode http
  option http-keep-alive
  timeout connect 1s
  timeout client 60s
  timeout server 300s
frontend catalogue
  bind "\${CATALOGUE_BIND}"
  option forwardfor
  default_backend instances
backend instances
  balance leastconn
${servers.join('\n')}
`;
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  return startProgram('haproxy', () => ['-f', file], {
    ready: '/livez',
    env: (port) => ({ CATALOGUE_BIND: `127.0.0.1:${port}` }),
    removeAfter: [folder],
  });
}
