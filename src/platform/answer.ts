import type { Readable } from 'node:stream';
import type { Json } from '../schemas/types.js';

/** What a handler returns. A stream is piped; a Buffer is JSON unless the headers state another type. */
export interface Answer<Body = unknown> {
  status?: number;
  headers?: Record<string, string>;
  body?: Body | Json<Body> | Readable;
  event?: AnswerEvent;
}

export interface AnswerEvent {
  action?: 'click';
  query?: string;
  results?: number;
  product?: { id: number; source: string };
  /** The request failed because the index has an earlier schema; `npm run reindex` solves that. */
  needsReindex?: true;
  visitor?: string;
}
