import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Credentials {
  username: string;
  password: string;
}

const ITERATIONS = 10_000;

/** Creates a user as the elasticsearch-users tool does, which SonarQube's Elasticsearch lacks. */
export function writeFileRealm(config: string, { username, password }: Credentials): void {
  const salt = randomBytes(32);
  const hash = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha512');
  const stored = `{PBKDF2}${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}`;
  writeFileSync(join(config, 'users'), `${username}:${stored}\n`);
  writeFileSync(join(config, 'users_roles'), `superuser:${username}\n`);
}

export function basicAuth({ username, password }: Credentials): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
