import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type FeedMap, MapError, readFeedMap } from '../../src/feeds/map/feed-map.js';
import { UsageError } from '../shared/exit.js';
import { fromCaller } from '../shared/terminal.js';

const MAX_ALIASES = 100;

/** Reads a map, YAML or JSON. @throws UsageError that names every place that makes no sense. */
export function mapFile(name: string, option: string): FeedMap {
  try {
    return readFeedMap(parse(readFileSync(fromCaller(name), 'utf8'), { maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof MapError) throw new UsageError(`${option} ${name} makes no sense:\n${message}`);
    throw new UsageError(code === 'ENOENT' ? `${name}: no such file.` : `${name} cannot be read: ${message}`);
  }
}
