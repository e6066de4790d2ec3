import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateFiles, certificateSettings, type NodeCertificates } from './certificates.js';
import { type LocalEngine, startLocalElasticsearch } from './local-elasticsearch.js';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { askEngine, type Credentials, freePort } from './ready.js';

export interface LocalClusterOptions {
  log: (line: string) => void;
  heap?: string;
  settings?: Record<string, string | number | boolean | string[]>;
  superuser?: Credentials;
  /** The certificates of the nodes, for TLS. `superuser` must be given as well. */
  certificates?: NodeCertificates;
}

/** A cluster of nodes that are processes of their own, which a test may kill or freeze. */
export interface LocalCluster {
  /** The nodes by name, such as `node-1`. A restarted node has a new process id and the same URL. */
  nodes: Map<string, LocalEngine>;
  urls: string[];
  restart(name: string): Promise<void>;
  /** Replaces the certificate files of a node. Elasticsearch notices the change of the files by itself. */
  present(name: string, certificates: NodeCertificates): void;
  stop(): Promise<void>;
}

export async function startLocalCluster(
  size: number,
  { log, heap = '512m', settings = {}, superuser, certificates }: LocalClusterOptions,
): Promise<LocalCluster> {
  const names = Array.from({ length: size }, (_, i) => `node-${i + 1}`);
  const ports = await Promise.all(
    names.map(async () => ({ http: await freePort(), transport: await freePort() })),
  );
  // The data is kept until the cluster stops, because a killed node is started again with it.
  const dir = temporaryFolder('cluster');
  const user = unprivilegedUser();
  if (user) giveTo(user, dir);
  const presentedBy = new Map(names.map((name) => [name, certificates]));
  const start = async (name: string) => {
    const port = ports[names.indexOf(name)];
    if (port === undefined) throw new Error(`there is no ${name}`);
    const presented = presentedBy.get(name);
    return startLocalElasticsearch({
      log,
      heap,
      dataDir: join(dir, name),
      port: port.http,
      transportPort: port.transport,
      ...(superuser && { superuser }),
      ...(presented && { files: certificateFiles(presented) }),
      settings: {
        ...(certificates && certificateSettings),
        ...settings,
        'node.name': name,
        'cluster.name': 'product-catalogue-local',
        'cluster.initial_master_nodes': names,
        'discovery.seed_hosts': ports.map(({ transport }) => `127.0.0.1:${transport}`),
      },
    });
  };
  const nodes = new Map<string, LocalEngine>();
  const stop = async () => {
    await Promise.all([...nodes.values()].map((node) => node.stop()));
    rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
  };
  const outcomes = await Promise.allSettled(names.map(async (name) => nodes.set(name, await start(name))));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  const urls = ports.map(({ http }) => `${certificates ? 'https' : 'http'}://127.0.0.1:${http}`);
  const formed = `${urls[0]}/_cluster/health?wait_for_nodes=${size}&timeout=60s`;
  const complete = failure === undefined && (await askEngine(formed, superuser, 70_000)).ok;
  if (!complete) {
    await stop();
    throw new Error(`the cluster did not form: ${String(failure?.reason ?? 'a node is missing')}`);
  }
  return {
    nodes,
    urls,
    stop,
    async restart(name) {
      // A frozen process may still lock its data folder.
      await nodes.get(name)?.stop();
      nodes.set(name, await start(name));
    },
    present(name, presented) {
      presentedBy.set(name, presented);
      for (const [path, text] of Object.entries(certificateFiles(presented)))
        writeFileSync(join(dir, name, 'config', path), text);
    },
  };
}
