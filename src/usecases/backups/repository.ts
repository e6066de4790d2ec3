import path from 'node:path';
import { type Client, type estypes } from '@elastic/elasticsearch';
import { rejectionReasons, rejectionStatus, rejectionType } from '../../engine/errors.js';
import { OperationError } from '../../platform/operation-errors.js';

/** Where backups are: a snapshot repository, and the folder with the copies of Redis; null: it is unknown. */
export interface Place {
  repository: string;
  redisFolder: string | null;
}

/** The name of the repository that a folder becomes. */
const NAME = 'backups';
const FOLDERS = { elasticsearch: 'elasticsearch', redis: 'redis' };

/** Whether a text names a folder rather than a repository, whose name contains no slash. */
export const isFolder = (text: string): boolean => text.includes('/') || text.startsWith('.');

/**
 * Finds the repository with a name, or registers the one in a folder, unless it is registered.
 * @param place the name of a repository, or an absolute path.
 * @param redisFolder the folder with the copies of Redis, if it is not beside the repository.
 * @throws OperationError that says what the operator has to do if Elasticsearch cannot use the folder.
 */
export async function placeOf(
  es: Client,
  { place, redisFolder }: { place: string; redisFolder: string | undefined },
): Promise<Place> {
  const name = isFolder(place) ? NAME : place;
  const found = await es.snapshot.getRepository({ name }, { ignore: [404] });
  const { [name]: existing } = found as Partial<typeof found>;
  if (!isFolder(place)) return { repository: name, redisFolder: redisFolder ?? besides(existing) };
  const location = path.join(place, FOLDERS.elasticsearch);
  const beside = redisFolder ?? path.join(place, FOLDERS.redis);
  const current = locationOf(existing);
  if (existing === undefined) await register(es, place, location);
  else if (current !== location && current !== place)
    throw new OperationError(
      `The repository ${NAME} exists already, ${current === null ? `of the type ${existing.type}` : `in ${current}`}. Name it instead of ${place}, or remove it from Elasticsearch (DELETE /_snapshot/${NAME}), which keeps its files.`,
    );
  return { repository: NAME, redisFolder: beside };
}

async function register(es: Client, place: string, location: string): Promise<void> {
  try {
    await es.snapshot.createRepository({ name: NAME, repository: { type: 'fs', settings: { location } } });
  } catch (error) {
    const reasons = rejectionReasons(error);
    if (reasons.length === 0 || rejectionStatus(error) === 403) throw error;
    // An unverified repository stays registered.
    await es.snapshot.deleteRepository({ name: NAME }, { ignore: [404] });
    const isForbidden = reasons.some((reason) => reason.includes('path.repo'));
    throw new OperationError(
      isForbidden
        ? `Elasticsearch may not use ${location}, because its setting path.repo does not allow it. Add path.repo: ["${place}"] to the elasticsearch.yml of every node, restart the nodes one after another, and run this again.`
        : `Elasticsearch cannot write to ${location} (${reasons.at(-1)}). The folder must exist on every node, as the same shared file system if there are several, and belong to the user of Elasticsearch.`,
      { cause: error },
    );
  }
}

/** Checks that every node can use a repository. @throws OperationError if one cannot. */
export async function verifyRepository(es: Client, repository: string): Promise<void> {
  try {
    await es.snapshot.verifyRepository({ name: repository });
  } catch (error) {
    if (rejectionType(error) === 'repository_missing_exception')
      throw new OperationError(
        `There is no repository ${repository}: GET /_snapshot lists them. Name a folder, such as ./${repository}, and npm run backup registers one.`,
        { cause: error },
      );
    const reasons = rejectionReasons(error);
    if (reasons.length === 0 || rejectionStatus(error) === 403) throw error;
    throw new OperationError(`Not every node can use the repository ${repository}: ${reasons.join(': ')}`, {
      cause: error,
    });
  }
}

export const locationOf = (repository: estypes.SnapshotRepository | undefined): string | null =>
  repository?.type === 'fs' && path.isAbsolute(repository.settings.location)
    ? path.normalize(repository.settings.location)
    : null;

/** The folder for copies of Redis beside a repository in a folder. */
function besides(repository: estypes.SnapshotRepository | undefined): string | null {
  const location = locationOf(repository);
  if (location === null) return null;
  const folder = path.basename(location) === FOLDERS.elasticsearch ? path.dirname(location) : location;
  return path.join(folder, FOLDERS.redis);
}
