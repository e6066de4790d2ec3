import compression from 'compression';
import type { Request, Response } from 'express';

/**
 * Compresses what is sent from here on, for clients that take it. For large answers alone: a page of twenty fits into
 * what a connection carries at once, and to compress it costs as much as to answer it.
 */
export const compress = compression({
  level: 1,
  // The library goes by a table of types that does not know NDJSON.
  filter: (request, response) =>
    compression.filter(request, response) || /ndjson/.test(String(response.getHeader('Content-Type'))),
});

/** Bytes from which an answer is large. */
export const COMPRESSED_FROM = 32_768;

/** `compress` where no handler follows. */
export function compressAnswer(request: Request, response: Response): void {
  compress(request, response, () => undefined);
}
