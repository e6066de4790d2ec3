import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, startProgram } from '../../tools/local-services/index.js';
import type { Proxy } from './haproxy.js';

export const nginxIsInstalled = spawnSync('nginx', ['-v']).error === undefined;

/**
 * Starts nginx with `docker/nginx.conf` in front of two instances.
 * @param instances the URLs of both instances; at least one of them responds.
 */
export async function startNginx(instances: readonly [string, string]): Promise<Proxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'nginx-'));
  const [a, b] = instances.map((url) => new URL(url).host);
  const shipped = readFileSync('docker/nginx.conf', 'utf8');
  const file = path.join(folder, 'nginx.conf');
  // nginx gets its own temporary folders, because the default ones belong to root.
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const metrics = `127.0.0.1:${await freePort()}`;
  const args = (port: number) => {
    const conf = shipped
      .replace('127.0.0.1:3000', a ?? '')
      .replace('127.0.0.1:3001', b ?? '')
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace('127.0.0.1:8405', metrics)
      .replaceAll('/var/log/nginx', folder);
    writeFileSync(
      file,
      `pid ${folder}/pid; daemon off; error_log stderr; events {}\nhttp { ${own}\n${conf}}\n`,
    );
    return ['-e', 'stderr', '-c', file];
  };
  const program = await startProgram('nginx', args, { ready: '/livez', removeAfter: [folder] });
  return {
    ...program,
    metricsUrl: `http://${metrics}/stub_status`,
    log: () =>
      readFileSync(path.join(folder, 'catalogue.log'), 'utf8') + readFileSync(program.output, 'utf8'),
  };
}
