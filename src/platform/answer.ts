import type { Readable } from 'node:stream';
import type { Json } from '../schemas/types.js';

/**
 * A handler's answer, status 200 unless said otherwise. A stream is sent as it comes, a Buffer is JSON already
 * unless the headers say what it is, and any other body is sent as JSON.
 */
export interface Answer<Body = unknown> {
  status?: number;
  headers?: Record<string, string>;
  body?: Body | Json<Body> | Readable;
  event?: AnswerEvent;
}

/** What the request's event tells of its outcome besides what any request's does: only handlers know it. */
export interface AnswerEvent {
  /** `request` unless said otherwise. */
  action?: 'click';
  /** The text that was asked for. */
  query?: string;
  /** How many listings that found in all. */
  results?: number;
  /** The listing that the request was about. */
  product?: { id: number; source: string };
  /** There is no answer because the index has an earlier schema, which `npm run reindex` ends. */
  needsReindex?: true;
  /** Tells who clicks apart from others, for a week: `access/visitor.ts`. */
  visitor?: string;
}
