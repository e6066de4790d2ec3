import { readFileSync } from 'node:fs';
import { ConfigError } from './values.js';

/** The environment variables whose value may be in a file, which a variable with the suffix `_FILE` names. */
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

/** Reads a secret from its variable or its file. @throws ConfigError if both are set, or the file cannot be read or is empty. */
export function readSecret(env: NodeJS.ProcessEnv, name: string): string | null {
  const value = env[name]?.trim() || null;
  const variable = fileVariable(name);
  const file = env[variable]?.trim() || null;
  if (file === null) return value;
  if (value !== null) throw new ConfigError(`${name} and ${variable} are both set; set one of them`);
  let secret: string;
  try {
    secret = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${variable} names ${file}, which cannot be read (${code})`);
  }
  if (secret === '') throw new ConfigError(`${variable} names ${file}, which is empty`);
  return secret;
}

/** Returns the environment with these secrets read from their files. */
export function withSecretFiles(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const secrets = names.map((name) => [name, readSecret(env, name) ?? undefined] as const);
  const files = names.map((name) => [fileVariable(name), undefined] as const);
  return { ...env, ...Object.fromEntries([...secrets, ...files]) };
}
