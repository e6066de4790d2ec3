import { createGunzip } from 'node:zlib';
import { inflate } from './inflate.js';

/** Unzips. @throws FeedError after the last readable byte. */
export const readGzip = (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> =>
  inflate(source, createGunzip(), 'The gzip data');
