import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { startLocalElasticsearch } from '../../tools/local-services/index.js';
import { connectEngine } from './engine.js';
import { elasticsearchUrl } from './services.js';

/** An Elasticsearch that stores snapshots in a folder of this machine. */
export interface SnapshotEngine {
  url: string;
  /** A new folder that Elasticsearch may use and write to. */
  folder: string;
  stop(): Promise<void>;
}

/** Returns the Elasticsearch of the tests if its `path.repo` is a folder of this machine, otherwise starts another one. */
export async function snapshotEngine(): Promise<SnapshotEngine> {
  const es = connectEngine();
  const repo = await repositoriesOf(es).finally(() => es.close());
  const parent = repo.find((folder) => existsSync(folder)) ?? temporaryFolder('snapshots');
  const folder = mkdtempSync(join(parent, 'backups-'));
  const user = unprivilegedUser();
  if (user) giveTo(user, folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (repo.some((one) => existsSync(one)))
    return { url: elasticsearchUrl, folder, stop: () => Promise.resolve(remove()) };
  if (user) giveTo(user, parent);
  const engine = await startLocalElasticsearch({ log: () => undefined, settings: { 'path.repo': [parent] } });
  return {
    url: engine.url,
    folder,
    stop: async () => {
      await engine.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function repositoriesOf(es: Client): Promise<string[]> {
  const { nodes } = await es.nodes.info({ metric: 'settings', filter_path: 'nodes.*.settings.path.repo' });
  const [node] = Object.values(nodes ?? {});
  const repo = (node?.settings as { path?: { repo?: string | string[] } } | undefined)?.path?.repo ?? [];
  return typeof repo === 'string' ? [repo] : repo;
}

export const emptyFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
};
