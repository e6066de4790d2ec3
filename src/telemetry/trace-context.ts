import { hash, randomUUID } from 'node:crypto';

/** The position of a request in its trace (https://www.w3.org/TR/trace-context). */
export interface RequestTrace {
  /** The trace id of the caller; otherwise it is derived from the request id, so that either one leads to the other. */
  traceId: string;
  spanId: string;
  /** The id of the caller's span, or null if the trace begins here. */
  parentId: string | null;
  isSampled: boolean;
  /** When the request arrived, on the monotonic clock, in ms. */
  began: number;
}

/** The header `traceparent`. Later versions may append fields. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

const TRACE_ID_LENGTH = 32;

/** Continues the trace of the caller, who has decided whether it is sampled, or starts one; of these, the share `ratio` is sampled. */
export function traceOf(traceparent: string | string[] | undefined, requestId: string, ratio: number) {
  const [, callersTrace, parentId = null, flags = ''] =
    (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  const traceId = callersTrace ?? hash('sha256', requestId).slice(0, TRACE_ID_LENGTH);
  const isSampled =
    callersTrace === undefined
      ? Number.parseInt(traceId.slice(0, 8), 16) < ratio * 2 ** 32
      : (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId: newSpanId(), parentId, isSampled, began: performance.now() };
}

/** Random digits of a UUID, because Node.js generates UUIDs in advance, and other random bytes with one system call each. */
export function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(-12) + uuid.slice(0, 4);
}

/** The header `traceparent` of the requests that a request causes. */
export const traceparentOf = ({ traceId, spanId, isSampled }: RequestTrace): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
