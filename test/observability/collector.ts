import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '../../scripts/shared/places.js';
import { type Program, startProgram } from '../../tools/services/index.js';
import { withLock } from '../../tools/services/lock.mjs';

const SOURCES = join(import.meta.dirname, 'collector');

/** What the collector is built with: `go.mod` says which release of it. */
export const goIsInstalled = spawnSync('go', ['version']).error === undefined;

/**
 * OpenTelemetry's collector, as `collector/main.go` puts it together. The first time on a machine it is built, of
 * modules out of the Go proxy, in a minute or two; what was built stays for as long as its sources are the same.
 * @param to passes the spans on to this address, by OTLP over HTTP in JSON.
 */
export async function startCollector(to: string): Promise<Program> {
  const config = (port: number) => ({
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { otlp_http: { endpoint: to, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  });
  return startProgram(await built(), (port) => ['--config', `yaml:${JSON.stringify(config(port))}`], {
    ready: '/v1/traces',
    // No spans: it takes them, and passes nothing on.
    asking: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
  });
}

/** @returns the collector's file. */
async function built(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(readFileSync(join(SOURCES, file)));
  const file = join(cacheRoot(), `collector-${hash.digest('hex').slice(0, 12)}`);
  mkdirSync(cacheRoot(), { recursive: true });
  await withLock(`${file}.lock`, async () => {
    if (existsSync(file)) return;
    // Not optimised, which takes a quarter less; and without what debugging needs.
    const flags = ['-trimpath', '-tags', 'grpcnotrace', '-gcflags', 'all=-N -l', '-ldflags', '-s -w'];
    await promisify(execFile)('go', ['build', ...flags, '-o', `${file}.new`, '.'], {
      cwd: SOURCES,
      env: { ...process.env, CGO_ENABLED: '0' },
    });
    renameSync(`${file}.new`, file);
  });
  return file;
}
