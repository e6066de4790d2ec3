import { readFileSync } from 'node:fs';
import { ConfigError } from './error.js';

/** Variables of the service whose value may stand in a file, which the variable with `_FILE` behind its name names. */
export const SECRETS = [
  'ADMIN_SECRET',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'ELASTICSEARCH_API_KEY',
  'ELASTICSEARCH_PASSWORD',
  'REDIS_PASSWORD',
  'REDIS_SENTINEL_PASSWORD',
  'REDIS_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * A secret, from its variable or its file: a file is not in the environment of every process, nor in what
 * `docker inspect` shows.
 * @throws ConfigError when both are set, or the file cannot be read or is empty; it never holds the secret.
 */
export function readSecret(env: NodeJS.ProcessEnv, name: string): string | null {
  const value = env[name]?.trim() || null;
  const variable = fileVariable(name);
  const file = env[variable]?.trim() || null;
  if (file === null) return value;
  if (value !== null) throw new ConfigError(`${name} and ${variable} are both set; set one of them`);
  const secret = contentOf(file, variable).trim();
  if (secret === '') throw new ConfigError(`${variable} names ${file}, which is empty`);
  return secret;
}

function contentOf(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${variable} names ${file}, which cannot be read (${code})`);
  }
}

/** The environment with these secrets filled in from their files. */
export function withSecretFiles(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const secrets = names.map((name) => [name, readSecret(env, name) ?? undefined] as const);
  const files = names.map((name) => [fileVariable(name), undefined] as const);
  return { ...env, ...Object.fromEntries([...secrets, ...files]) };
}
