import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Reads a data file of the sample catalogue, `NAME.yaml` in this folder. */
export const readTable = <T>(name: string): T =>
  parse(readFileSync(new URL(`${name}.yaml`, import.meta.url), 'utf8')) as T;
