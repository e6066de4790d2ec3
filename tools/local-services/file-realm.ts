import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The name and password of an Elasticsearch user. */
export interface Credentials {
  username: string;
  password: string;
}

const ITERATIONS = 10_000;

/**
 * Creates an Elasticsearch user in the files of a node's `config` folder, as the elasticsearch-users tool
 * does. The Elasticsearch that SonarQube contains does not have this tool.
 */
export function writeFileRealm(config: string, { username, password }: Credentials): void {
  const salt = randomBytes(32);
  const hash = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha512');
  const stored = `{PBKDF2}${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}`;
  writeFileSync(join(config, 'users'), `${username}:${stored}\n`);
  writeFileSync(join(config, 'users_roles'), `superuser:${username}\n`);
}

/** Returns the `authorization` header of HTTP basic authentication for a user. */
export function basicAuth({ username, password }: Credentials): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
