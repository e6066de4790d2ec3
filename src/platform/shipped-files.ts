import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the nearest `package.json`: the project's folder, or `dist` in a build. */
const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(path.join(folder, 'package.json')) || parent === folder ? folder : rootAbove(parent);
}

/** A file that ships with the service is missing or damaged. The message names the file. */
export class ShippedFileError extends Error {
  override name = 'ShippedFileError';
}

/**
 * Reads a text file that ships with the service.
 * @param name the path relative to the project's folder.
 * @throws ShippedFileError naming the file.
 */
export function shippedText(name: string): string {
  try {
    return readFileSync(path.join(ROOT, name), 'utf8');
  } catch (error) {
    const message = `${name} cannot be read (${(error as Error).message}); restore it as it was shipped.`;
    throw new ShippedFileError(message, { cause: error });
  }
}

/**
 * Reads a JSON file that ships with the service.
 * @param name the path relative to the project's folder, such as `mappings/products.json`.
 * @throws ShippedFileError naming the file.
 */
export function shippedJson(name: string): unknown {
  try {
    return JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
  } catch (error) {
    const wrong = error instanceof SyntaxError ? 'is cut off, or no JSON' : 'cannot be read';
    const message = `${name} ${wrong} (${(error as Error).message}); restore it as it was shipped.`;
    throw new ShippedFileError(message, { cause: error });
  }
}
