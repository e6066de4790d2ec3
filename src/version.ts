import { createRequire } from 'node:module';
import path from 'node:path';
import { existsSync } from 'node:fs';

/** What the service calls itself in logs, events and metrics. */
export const SERVICE_NAME = 'product-catalogue';

/** The version in package.json, which lies one folder up from the sources and two up from what is built of them. */
export const SERVICE_VERSION: string = (() => {
  const candidates = ['..', '../..'].map((up) => path.join(import.meta.dirname, up, 'package.json'));
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file === undefined) return 'unknown';
  return (createRequire(import.meta.url)(file) as { version: string }).version;
})();
