import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The nearest folder above this file with a `package.json`: that of the project, or `dist` in a build. */
const ROOT = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(path.join(folder, 'package.json')) || parent === folder ? folder : rootAbove(parent);
}

/** A file that ships with the service is missing or damaged. The message names the file. */
export class ShippedFileError extends Error {
  override name = 'ShippedFileError';
}

/** Reads a text file that ships with the service, by its path in the project. @throws ShippedFileError. */
export const shippedText = (name: string): string => read(name, (text) => text);

/** Reads a JSON file that ships with the service, such as `mappings/products.json`. @throws ShippedFileError. */
export const shippedJson = (name: string): unknown => read(name, (text) => JSON.parse(text) as unknown);

/** Returns the names of the files of a folder that ships with the service. @throws ShippedFileError. */
export const shippedFiles = (folder: string): string[] => found(folder, (place) => readdirSync(place));

const read = <T>(name: string, parse: (text: string) => T): T =>
  found(name, (place) => parse(readFileSync(place, 'utf8')));

function found<T>(name: string, use: (place: string) => T): T {
  try {
    return use(path.join(ROOT, name));
  } catch (error) {
    const wrong = error instanceof SyntaxError ? 'is truncated or not JSON' : 'cannot be read';
    const message = `${name} ${wrong} (${(error as Error).message}); restore it as it was shipped.`;
    throw new ShippedFileError(message, { cause: error });
  }
}
