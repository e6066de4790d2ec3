import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { type Program, startProgram } from '../../tools/local-services/index.js';
import { goIsInstalled, goProgram } from '../support/go-program.js';

/** Those of Debian; `.ci/run` installs them. */
const PROGRAMS = ['prometheus', 'prometheus-redis-exporter', 'prometheus-blackbox-exporter'];

/** Whether all there is of them is installed, and Go, which builds the exporter of Elasticsearch. */
export const monitoringIsInstalled =
  goIsInstalled && PROGRAMS.every((program) => spawnSync(program, ['--version']).error === undefined);

const EXPORTER = 'github.com/prometheus-community/elasticsearch_exporter';

/**
 * Elasticsearch's exporter in the release of docker-compose.monitoring.yml and with the flags there. Debian's is an older
 * one, with metrics of other names. Built with Go, the first time in a minute or two.
 * @param uri the address of a node.
 * @param user whom it asks as; without one Elasticsearch has no security.
 */
export async function startElasticsearchExporter(
  uri: string,
  user?: { username: string; password: string },
): Promise<Program> {
  const { services } = parse(readFileSync('docker-compose.monitoring.yml', 'utf8'), { merge: true }) as {
    services: Record<string, { entrypoint?: string[] }>;
  };
  const script = services['elasticsearch-exporter']?.entrypoint?.at(-1) ?? '';
  const flags = (script.match(/--\S+/g) ?? []).filter((flag) => !/^--es\.(uri|ca)=/.test(flag));
  const program = await goProgram(path.join(import.meta.dirname, 'exporter'), EXPORTER);
  const listening = (port: number) => `--web.listen-address=127.0.0.1:${port}`;
  return startProgram(program, (port) => [`--es.uri=${uri}`, ...flags, listening(port)], {
    ready: '/healthz',
    ...(user && { env: () => ({ ES_USERNAME: user.username, ES_PASSWORD: user.password }) }),
  });
}

/** A Prometheus that runs, and what is asked of it. */
export interface Prometheus extends Program {
  query(expr: string): Promise<Sample[]>;
  /** Alerts that fire now. */
  firing(): Promise<Alert[]>;
}

/** An alert as Prometheus tells of it, over HTTP and to an Alertmanager. */
export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: string;
}

/**
 * One scrape and one evaluation of the rules a second.
 * @param jobs the configuration of each job.
 * @param options.rules files of rules. @param options.externalLabels labels that rules refer to.
 */
export async function startPrometheus(
  jobs: readonly Record<string, unknown>[],
  { rules = [], externalLabels = {} }: { rules?: string[]; externalLabels?: Record<string, string> } = {},
): Promise<Prometheus> {
  const dir = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
  const file = path.join(dir, 'prometheus.json');
  // JSON is YAML.
  const intervals = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' };
  const global = { ...intervals, external_labels: externalLabels };
  writeFileSync(file, JSON.stringify({ global, rule_files: rules, scrape_configs: jobs }));
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
    async firing() {
      const response = await fetch(`${program.url}/api/v1/alerts`);
      const { data } = (await response.json()) as { data: { alerts: Alert[] } };
      return data.alerts.filter(({ state }) => state === 'firing');
    },
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
