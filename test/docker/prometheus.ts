import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { type Program, startProgram } from '../../tools/local-services/index.js';
import { goIsInstalled, goProgram } from '../support/go-program.js';

/** The programs from Debian packages, which `.ci/run` installs. */
const PROGRAMS = ['prometheus', 'prometheus-redis-exporter', 'prometheus-blackbox-exporter'];

/** Whether these programs are installed, and Go, which builds the exporter of Elasticsearch. */
export const monitoringIsInstalled =
  goIsInstalled && PROGRAMS.every((program) => spawnSync(program, ['--version']).error === undefined);

const EXPORTER = 'github.com/prometheus-community/elasticsearch_exporter';

/**
 * Starts Elasticsearch's exporter in the version and with the options of docker-compose.monitoring.yml. It is
 * built with Go, which takes a minute or two the first time, because Debian's version is older and its
 * metrics have other names.
 * @param uri the address of a node.
 * @param user the user of Elasticsearch; without it, Elasticsearch has no security.
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

/** A running Prometheus, and the queries that tests send to it. */
export interface Prometheus extends Program {
  query(expr: string): Promise<Sample[]>;
  /** Returns the alerts that currently fire. */
  firing(): Promise<Alert[]>;
}

/** An alert as Prometheus reports it over HTTP and to an Alertmanager. */
export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: string;
}

/**
 * Starts a Prometheus that scrapes its targets and evaluates its rules every second.
 * @param jobs the configuration of each job.
 * @param options.rules the files with rules.
 * @param options.externalLabels the labels to which the rules refer.
 */
export async function startPrometheus(
  jobs: readonly Record<string, unknown>[],
  { rules = [], externalLabels = {} }: { rules?: string[]; externalLabels?: Record<string, string> } = {},
): Promise<Prometheus> {
  const dir = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
  const file = path.join(dir, 'prometheus.json');
  // The configuration is written as JSON, which is valid YAML.
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

/** A series and its current value as text, which may be `NaN` or `+Inf`. */
export interface Sample {
  metric: Record<string, string>;
  value: [at: number, value: string];
}
