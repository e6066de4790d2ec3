import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A user of Elasticsearch's own security. */
export interface Credentials {
  username: string;
  password: string;
}

const ITERATIONS = 10_000;

/**
 * Makes the user in the files of a node's `config` folder, as the elasticsearch-users tool does, which the reduced
 * distribution does not have.
 */
export function writeFileRealm(config: string, { username, password }: Credentials): void {
  const salt = randomBytes(32);
  const hash = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha512');
  const stored = `{PBKDF2}${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}`;
  writeFileSync(join(config, 'users'), `${username}:${stored}\n`);
  writeFileSync(join(config, 'users_roles'), `superuser:${username}\n`);
}

/** The header that says who asks. */
export function basicAuth({ username, password }: Credentials): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
