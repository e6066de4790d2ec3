import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's folder, or `dist`: what is built of this file, bundled or not, lies one folder below as well. */
const ROOT = path.dirname(import.meta.dirname);

/**
 * Reads JSON that the service ships with.
 * @param name from the project's folder on, such as `mappings/products.json`.
 */
export function shippedJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
}
