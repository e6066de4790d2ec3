import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';

/**
 * Files that version 1.0 created: the body of its index, its sample of 24 listings as its `ingest` stored
 * them, and the responses of its service for them.
 */
const RELEASE = path.join(import.meta.dirname, '../scripts/release-1.0');
const fileOf = (name: string) => readFileSync(path.join(RELEASE, name), 'utf8');
const linesOf = <T>(name: string): T[] =>
  fileOf(name)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

const documents = linesOf<{ _id: string; _source: StoredListing }>('listings.ndjson');

/** The listings as version 1.0 stored them. */
export const releasedListings = documents.map(({ _source }) => _source);

/** The responses of version 1.0. */
export const releasedAnswers = linesOf<{ path: string; status: number; body: object }>('answers.ndjson');

/** Creates the index of version 1.0 with its listings, as `<alias>-v1`. */
export async function createReleased(es: Client, alias: string): Promise<void> {
  const index = `${alias}-v1`;
  const body = JSON.parse(fileOf('index.json')) as object;
  await es.indices.create({ index, ...body, aliases: { [alias]: { is_write_index: true } } });
  const operations = documents.flatMap(({ _id, _source }) => [{ index: { _id } }, _source]);
  const { errors } = await es.bulk({ index, operations, refresh: true });
  assert.isFalse(errors);
}
