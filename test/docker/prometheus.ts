import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Program, startProgram } from '../../tools/services/index.js';

/** Those of Debian; `.ci/run` installs them. */
const PROGRAMS = [
  'prometheus',
  'prometheus-elasticsearch-exporter',
  'prometheus-redis-exporter',
  'prometheus-blackbox-exporter',
];

/** Whether all there is of them is installed. */
export const monitoringIsInstalled = PROGRAMS.every(
  (program) => spawnSync(program, ['--version']).error === undefined,
);

/** One scrape a second of each of these. @param jobs its configuration of each. */
export async function startPrometheus(
  jobs: readonly Record<string, unknown>[],
): Promise<Program & { query(expr: string): Promise<Sample[]> }> {
  const dir = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
  const file = path.join(dir, 'prometheus.json');
  // JSON is YAML.
  const global = { scrape_interval: '1s', scrape_timeout: '1s' };
  writeFileSync(file, JSON.stringify({ global, scrape_configs: jobs }));
  const program = await startProgram(
    'prometheus',
    (port) => [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { ready: '/-/ready', removeAfter: [dir] },
  );
  return {
    ...program,
    async query(expr) {
      const response = await fetch(`${program.url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
      const { data, error } = (await response.json()) as { data?: { result: Sample[] }; error?: string };
      if (data === undefined) throw new Error(`${expr}: ${error}`);
      return data.result;
    },
  };
}

/** A series and its value now; a number that is none is text as well. */
export interface Sample {
  metric: Record<string, string>;
  value: [at: number, value: string];
}
