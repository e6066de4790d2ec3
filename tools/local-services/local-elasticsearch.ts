import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { elasticsearchHome } from './elasticsearch-home.js';
import { findJdk } from './jdk.js';
import { startReady } from './kept.js';
import { giveTo, memoryFolder, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { askEngine, type Credentials, elasticsearchIsReady } from './ready.js';

const READY_WITHIN_MS = 900_000;
const SNAPSHOTS = 'snapshots';

export interface LocalElasticsearchOptions {
  log: (line: string) => void;
  /** The data folder of the node, which is kept. Without it, a temporary folder is used and deleted. */
  dataDir?: string;
  /** Whether the indices are in memory, if the system can: a new index takes a tenth of the time and two thirds of the CPU time. */
  inMemory?: boolean;
  /** The ports of the node on 127.0.0.1. Without them, the operating system chooses free ports. */
  port?: number;
  transportPort?: number;
  heap?: string;
  /** Further settings. With those of discovery, such as `discovery.seed_hosts`, several nodes form a cluster. */
  settings?: Record<string, string | number | boolean | string[]>;
  superuser?: Credentials;
  files?: Record<string, string>;
  jvm?: string[];
  /** Whether the node at this address is ready; by default, when its health is yellow or green. */
  ready?: (address: string) => Promise<boolean>;
}

export interface LocalEngine {
  url: string;
  /** The process id of the server; with the option `ready`, that of its parent, the launcher. */
  pid: number;
  stop(): Promise<void>;
}

/** Starts a local node, and waits until it is ready. The node ends with this process at the latest. */
export async function startLocalElasticsearch(options: LocalElasticsearchOptions): Promise<LocalEngine> {
  const jdk = findJdk();
  const user = unprivilegedUser();
  // Elasticsearch runs as another user, who must be able to read new files.
  if (user) process.umask(0o022);
  const home = await elasticsearchHome(options.log);
  const dir = options.dataDir ?? temporaryFolder('elasticsearch');
  const data = options.inMemory ? memoryFolder('elasticsearch-data') : join(dir, 'data');
  prepare({ dir, data }, home, options);
  if (user) [dir, data].forEach((folder) => giveTo(user, folder));
  const java = join(jdk.home, 'bin', 'java');
  const launcher = ['-cp', 'lib/tools/server-launcher/*', 'org.elasticsearch.server.launcher.ServerLauncher'];
  const portsFile = join(dir, 'logs', 'http.ports');
  const node = await startReady(
    {
      command: java,
      args: ['-Xms4m', '-Xmx64m', '-XX:+UseSerialGC', ...launcher],
      cwd: home,
      env: {
        JAVA: java,
        JAVA_TYPE: 'JAVA_HOME',
        ES_JAVA_HOME: jdk.home,
        ES_HOME: home,
        ES_PATH_CONF: join(dir, 'config'),
        ES_DISTRIBUTION_TYPE: 'tar',
        ES_DISTRIBUTION_FLAVOR: 'default',
        ES_TMPDIR: join(dir, 'tmp'),
        LIBFFI_TMPDIR: join(dir, 'tmp'),
      },
      ...(user && { uid: user.uid, gid: user.gid }),
      log: join(dir, 'output.log'),
      removeAfter: options.dataDir === undefined ? [dir, data] : [],
    },
    {
      failure: 'Elasticsearch did not start',
      withinMs: READY_WITHIN_MS,
      check: async (launcherPid) => {
        if (!existsSync(portsFile)) return undefined;
        const [address = ''] = readFileSync(portsFile, 'utf8').split('\n');
        const url = `${schemeOf(options)}://${address}`;
        if (options.ready !== undefined)
          return (await options.ready(address)) ? { url, pid: launcherPid } : undefined;
        const { superuser } = options;
        if (!(await elasticsearchIsReady(url, superuser))) return undefined;
        return { url, pid: await serverPid(url, superuser) };
      },
    },
  );
  return { ...node.value, stop: node.stop };
}

const schemeOf = ({ settings = {} }: LocalElasticsearchOptions): string =>
  String(settings['xpack.security.http.ssl.enabled']) === 'true' ? 'https' : 'http';

function prepare(
  { dir, data }: { dir: string; data: string },
  home: string,
  { heap = '512m', settings = {}, superuser, files = {}, jvm = [], ...ports }: LocalElasticsearchOptions,
) {
  const config = join(dir, 'config');
  // Deletes the files of the previous run, so that its ports are not mistaken for those of this run.
  for (const name of ['config', 'logs', 'tmp', 'output.log'])
    rmSync(join(dir, name), { recursive: true, force: true });
  for (const folder of [data, join(dir, 'logs'), join(dir, 'tmp'), join(dir, SNAPSHOTS)])
    mkdirSync(folder, { recursive: true });
  cpSync(join(home, 'config'), config, { recursive: true });
  const clustered = 'cluster.initial_master_nodes' in settings || 'discovery.seed_hosts' in settings;
  const yml = {
    'path.data': data,
    'path.logs': join(dir, 'logs'),
    'path.repo': [join(dir, SNAPSHOTS)],
    'network.host': '127.0.0.1',
    'http.port': ports.port ?? 0,
    'transport.port': ports.transportPort ?? 0,
    // The node writes the ports that the operating system chose to logs/http.ports.
    'node.portsfile': true,
    'xpack.security.enabled': superuser !== undefined,
    // A development node keeps writing when the disk is nearly full.
    'cluster.routing.allocation.disk.threshold_enabled': false,
    ...(clustered ? {} : { 'discovery.type': 'single-node' }),
    ...settings,
  };
  // JSON values are valid YAML.
  const yaml = Object.entries(yml).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  writeFileSync(join(config, 'elasticsearch.yml'), yaml.join(''));
  if (superuser) writeFileRealm(config, superuser);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(config, name)), { recursive: true });
    writeFileSync(join(config, name), text);
  }
  mkdirSync(join(config, 'jvm.options.d'), { recursive: true });
  // Turns off the garbage collection log, which would grow to 2 GB.
  const all = [`-Xms${heap}`, `-Xmx${heap}`, '-Xlog:disable', '-Xlog:all=warning:stderr', ...jvm];
  writeFileSync(join(config, 'jvm.options.d', 'service.options'), all.join('\n') + '\n');
}

async function serverPid(url: string, user?: Credentials): Promise<number> {
  const answer = await askEngine(`${url}/_nodes/_local/process`, user);
  const { nodes } = (await answer.json()) as { nodes: Record<string, { process: { id: number } }> };
  const [node] = Object.values(nodes);
  if (!node) throw new Error('it does not report its process id');
  return node.process.id;
}

const ITERATIONS = 10_000;

/** Creates a user as the elasticsearch-users tool does, which SonarQube's Elasticsearch lacks. */
function writeFileRealm(config: string, { username, password }: Credentials): void {
  const salt = randomBytes(32);
  const hash = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha512');
  const stored = `{PBKDF2}${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}`;
  writeFileSync(join(config, 'users'), `${username}:${stored}\n`);
  writeFileSync(join(config, 'users_roles'), `superuser:${username}\n`);
}
