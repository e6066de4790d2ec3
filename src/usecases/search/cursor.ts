import { hash, randomUUID } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { isNotFound } from '../../engine/errors.js';
import type { SearchTarget } from '../../engine/queries/selection.js';
import type { FoundListings } from '../../engine/search-listings.js';
import type { Sealed } from '../../platform/sealed.js';
import type { Tier } from '../../platform/access/tiers.js';
import { expired, invalid, type ValidationIssue } from '../../platform/errors.js';
import type { Caller, Context } from '../context.js';

/** The maximum number of point-in-time sessions that an API key, or an address without a key, may have at once. */
const MAX_SESSIONS: Record<Tier | 'public', number> = {
  public: 2,
  free: 5,
  basic: 5,
  standard: 10,
  premium: 20,
};

const MINUTE_MS = 60_000;
/** The maximum time between two pages of a point-in-time session, in milliseconds. */
const IDLE_MS = 5 * MINUTE_MS;
/** The maximum time between the first and the last page of a point-in-time session, in milliseconds. */
const LIFETIME_MS = 60 * MINUTE_MS;

/** The content of a paging cursor. Times are milliseconds since 1970. */
interface CursorContent {
  about: string;
  id: string;
  pit: string;
  /** The sort keys of the last listing before the next page; null if the page starts at the offset `seen`. */
  after: estypes.SortResults | null;
  seen: number;
  began: number;
  until: number;
  /** The schema version of the index in the point in time. */
  schema: number;
  /** The version of the merchandising rules that the first page used; absent if none were published. */
  rules?: number | undefined;
}

/** The position of a client that pages by cursor: at the beginning (`id: null`), or after a page. */
export type CursorPosition = { began: Date; seen: number } & (
  { id: null } | Omit<CursorContent, 'began' | 'about'>
);

/** The purpose that encrypted cursors carry, so that no other encrypted text is accepted as a cursor. */
const CURSOR = 'cursor';

const wrongCursor: ValidationIssue = {
  loc: ['query', 'cursor'],
  msg: 'Value error, not a cursor for these parameters',
  type: 'value_error',
};

/** Reports a validation error for a cursor that this service did not create. */
export const cursorIssues = ({ sealed }: Pick<Context, 'sealed'>, cursor = ''): ValidationIssue[] =>
  cursor === '' || sealed.open(cursor, CURSOR) !== null ? [] : [wrongCursor];

/**
 * Reads a paging cursor. An empty cursor is the beginning.
 * @throws ApiError 422 for a cursor of other parameters or of another service, 410 for one that has expired.
 */
export function readCursor(context: Context, query: object, cursor: string): CursorPosition {
  const now = context.now();
  if (cursor === '') return { id: null, began: now, seen: 0 };
  const content = context.sealed.open(cursor, CURSOR) as CursorContent | null;
  if (content?.about !== aboutOf(query)) throw invalid([wrongCursor]);
  if (content.until <= now.getTime()) throw expired();
  return { ...content, began: new Date(content.began) };
}

/** Returns a hash of the parameters for which a cursor is valid: all but those that select the page. */
function aboutOf(query: object): string {
  const entries = Object.entries(query).filter(([name]) => !['cursor', 'limit', 'offset'].includes(name));
  return hash('sha256', JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1))), 'base64url');
}

/** A page of a point-in-time session that is about to be read. */
export interface SessionPage {
  target: SearchTarget;
  after: estypes.SortResults | undefined;
  position: CursorPosition;
  session: { id: string; pit: string; client: string; hasKey: boolean; until: number };
  maxOfClient: number;
}

/** Prepares a page of a point-in-time session, which the first page opens and registers. */
export async function openSessionPage(
  { es, products, pointInTimeSessions, now }: Context,
  position: CursorPosition,
  { client, key }: Pick<Caller, 'client' | 'key'>,
): Promise<SessionPage> {
  const keep_alive = `${IDLE_MS}ms`;
  const isFirst = position.id === null;
  const pit = isFirst ? (await es.openPointInTime({ index: products, keep_alive })).id : position.pit;
  const session = {
    id: position.id ?? randomUUID(),
    pit,
    client,
    hasKey: key !== null,
    until: Math.min(now().getTime() + IDLE_MS, position.began.getTime() + LIFETIME_MS),
  };
  const maxOfClient = MAX_SESSIONS[key?.tier ?? 'public'];
  if (isFirst) pointInTimeSessions.use(es, session, { maxOfClient, now: now().getTime() });
  else pointInTimeSessions.touch(session.id);
  const target = { pit: { id: pit, keep_alive } };
  return {
    target,
    after: isFirst ? undefined : (position.after ?? undefined),
    position,
    session,
    maxOfClient,
  };
}

/**
 * Registers that a page of a point-in-time session was read, and closes the session after its last page.
 * @returns the next cursor; null if there is none.
 */
export function nextCursor(
  { es, sealed, pointInTimeSessions, now }: Context,
  query: object,
  { position, session, maxOfClient }: SessionPage,
  {
    total,
    hits,
    pitId = session.pit,
    rules,
    schema,
  }: FoundListings & Pick<CursorContent, 'rules' | 'schema'>,
): string | null {
  // The session is marked as used only after the page was read: a cursor whose point in time is closed fails before,
  // and never causes another session of the client to be closed.
  if (position.id !== null) pointInTimeSessions.use(es, session, { maxOfClient, now: now().getTime() });
  const seen = position.seen + hits.length;
  if (hits.length === 0 || seen >= total) {
    pointInTimeSessions.end(es, { id: session.id, pit: pitId });
    return null;
  }
  const { id, until } = session;
  return sealCursor(sealed, query, {
    id,
    pit: pitId,
    after: hits.at(-1)?.sort ?? null,
    seen,
    began: position.began.getTime(),
    until,
    schema,
    rules,
  });
}

export const sealCursor = (sealed: Sealed, query: object, content: Omit<CursorContent, 'about'>): string =>
  sealed.seal({ about: aboutOf(query), ...content }, CURSOR);

/**
 * Handles an error that occurred while a page of a point-in-time session was read. The session ends if it has
 * just begun or its point in time is closed.
 * @returns the error to throw: 410 if the point in time is closed.
 */
export function sessionError(
  { es, pointInTimeSessions }: Context,
  { position, session }: SessionPage,
  error: unknown,
): unknown {
  const isClosed = isNotFound(error);
  if (position.id === null || isClosed) pointInTimeSessions.end(es, session);
  return isClosed ? expired() : error;
}
