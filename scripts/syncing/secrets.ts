import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SecretReference, SourceFile } from '../../src/usecases/sync/source-file.js';
import { fillPlaceholders } from '../../src/usecases/sync/source-file.js';
import { CommandError } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';

/** The address of a feed with its credentials, and the secrets in it, which no message may contain. */
export interface FeedRequest {
  url: string;
  headers: Record<string, string>;
  secrets: string[];
}

/** Reads the credentials of a source. @throws CommandError if one is missing. */
export function feedRequestOf(
  { url = '', credentials = {} }: SourceFile,
  env: NodeJS.ProcessEnv,
): FeedRequest {
  const secrets: string[] = [];
  const read = (reference: SecretReference): string => {
    const secret = readReference(reference, env);
    secrets.push(secret);
    return secret;
  };
  const readAll = (references: Record<string, SecretReference> = {}) =>
    Object.fromEntries(Object.entries(references).map(([name, reference]) => [name, read(reference)]));
  const headers = readAll(credentials.headers);
  const { basic, bearer } = credentials;
  if (basic !== undefined) {
    const login = Buffer.from(`${read(basic.username)}:${read(basic.password)}`).toString('base64');
    secrets.push(login);
    headers['authorization'] = `Basic ${login}`;
  }
  if (bearer !== undefined) headers['authorization'] = `Bearer ${read(bearer)}`;
  return { url: fillPlaceholders(url, readAll(credentials.url)), headers, secrets };
}

/** The credentials of a source that cannot be read, as sentences; a check may run where they are not available. */
export function missingSecrets(file: SourceFile, env: NodeJS.ProcessEnv): string[] {
  const { basic, bearer, headers = {}, url = {} } = file.credentials ?? {};
  const references = [
    ...(basic === undefined ? [] : [basic.username, basic.password]),
    ...(bearer === undefined ? [] : [bearer]),
    ...Object.values(headers),
    ...Object.values(url),
  ];
  return references.flatMap((reference) => {
    try {
      readReference(reference, env);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

function readReference({ env: variable, file = '' }: SecretReference, env: NodeJS.ProcessEnv): string {
  let secret: string;
  if (variable !== undefined) {
    secret = env[variable]?.trim() ?? '';
    if (secret === '') throw new CommandError(`The environment variable ${variable} is not set.`);
  } else {
    const folder = env['SOURCE_CREDENTIALS'];
    if (!folder) throw new CommandError(`SOURCE_CREDENTIALS, the folder of the file ${file}, is not set.`);
    try {
      secret = readFileSync(path.join(fromCaller(folder), file), 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandError(`The secret file ${file} in SOURCE_CREDENTIALS cannot be read (${code}).`);
    }
    if (secret === '') throw new CommandError(`The secret file ${file} in SOURCE_CREDENTIALS is empty.`);
  }
  // A line break would end the header in which the secret is sent.
  if (/[\r\n\0]/.test(secret)) throw new CommandError('A secret must be one line of text.');
  return secret;
}

/** Replaces secrets in a message, in plain and in encoded form. */
export function withoutSecrets(message: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const longestFirst = [...new Set(forms)]
    .filter((form) => form.length > 2)
    .sort((a, b) => b.length - a.length);
  return longestFirst.reduce((text, form) => text.replaceAll(form, '***'), message);
}
