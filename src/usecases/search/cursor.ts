import { hash, randomUUID } from 'node:crypto';
import { errors as engineErrors, type estypes } from '@elastic/elasticsearch';
import type { Sealed } from '../../platform/access/sealed.js';
import type { Tier } from '../../platform/access/tiers.js';
import type { Context } from '../context.js';
import type { Caller } from '../context.js';
import type { FoundHits } from '../../engine/pages.js';
import { expired, invalid, type ValidationIssue } from '../../platform/errors.js';
import type { Place } from '../../engine/queries/selection.js';
import type { SearchParameters } from '../../schemas/search.js';

/** Walks of one key at once. */
const WALKS_PER_KEY: Record<Tier, number> = { free: 5, basic: 5, standard: 10, premium: 20 };

const MINUTE_MS = 60_000;
/** A page is asked for within so long after the one before it, and the last within an hour of the first. */
const KEPT_MS = 5 * MINUTE_MS;
const WHOLE_MS = 60 * MINUTE_MS;

/** What a cursor holds. Times are ms since 1970. */
interface State {
  /** The parameters that it is good for, as a hash. */
  about: string;
  id: string;
  pit: string;
  after: estypes.SortResults;
  /** Listings before it. */
  seen: number;
  began: number;
  until: number;
}

/** Where a walk is: at its beginning, or after the listing that the cursor tells of. */
export type Step = { began: Date; seen: number } & ({ id: null } | Omit<State, 'began' | 'about'>);

/** What cursors are sealed as. */
const CURSOR = 'cursor';

const wrongCursor: ValidationIssue = {
  loc: ['query', 'cursor'],
  msg: 'Value error, not a cursor of these parameters',
  type: 'value_error',
};

/** What is wrong with a cursor whatever the other parameters are: it is none of ours. */
export const cursorIssues = ({ sealed }: Pick<Context, 'sealed'>, cursor = ''): ValidationIssue[] =>
  cursor === '' || sealed.open(cursor, CURSOR) !== null ? [] : [wrongCursor];

/**
 * Reads a cursor; an empty one begins.
 * @throws ApiError 422 for what is none of ours or was given for other parameters, 410 for one that has expired.
 */
export function readCursor(context: Context, query: SearchParameters, cursor: string): Step {
  const now = context.now();
  if (cursor === '') return { id: null, began: now, seen: 0 };
  const state = context.sealed.open(cursor, CURSOR) as State | null;
  if (state?.about !== aboutOf(query)) throw invalid([wrongCursor]);
  if (state.until <= now.getTime()) throw expired();
  return { ...state, began: new Date(state.began) };
}

/** The parameters that a cursor is good for: all but how much is wanted at once. */
function aboutOf(query: SearchParameters): string {
  const entries = Object.entries(query).filter(([name]) => !['cursor', 'limit', 'offset'].includes(name));
  return hash('sha256', JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1))), 'base64url');
}

/** The cursor that goes on with a walk, for the same parameters. */
export const cursorOf = (sealed: Sealed, query: SearchParameters, state: Omit<State, 'about'>): string =>
  sealed.seal({ about: aboutOf(query), ...state }, CURSOR);

/** A page of a walk. */
export interface Page {
  place: Place;
  after?: estypes.SortResults;
}

/**
 * Reads a page where a walk is, in the view of the catalogue that it began with.
 * @returns what was read, and the cursor of the next page; null: there is none.
 * @throws ApiError 410 where the engine has forgotten that view.
 */
export async function walk<Read extends { found: FoundHits }>(
  { es, products, sealed, walks, now }: Context,
  { query, step, key }: { query: SearchParameters; step: Step; key: Caller['key'] },
  read: (page: Page) => Promise<Read>,
): Promise<{ page: Read; next: string | null }> {
  const { id: client = '', tier = 'free' } = key ?? {};
  const began = step.began.getTime();
  const until = Math.min(now().getTime() + KEPT_MS, began + WHOLE_MS);
  const keep_alive = `${KEPT_MS}ms`;
  const id = step.id ?? randomUUID();
  const pit = step.id === null ? (await es.openPointInTime({ index: products, keep_alive })).id : step.pit;
  const use = () => {
    walks.use(es, { id, pit, client, until }, { own: WALKS_PER_KEY[tier], now: now().getTime() });
  };
  if (step.id === null) use();
  else walks.touch(id);
  try {
    const page = await read({
      place: { pit: { id: pit, keep_alive } },
      ...(step.id === null ? {} : { after: step.after }),
    });
    // A cursor whose point in time is gone must not end another walk, so it counts only from here.
    if (step.id !== null) use();
    const { total, listings, pitId = pit } = page.found;
    const seen = step.seen + listings.length;
    const after = listings.at(-1)?.sort;
    if (after === undefined || seen >= total) {
      walks.end(es, { id, pit: pitId });
      return { page, next: null };
    }
    return { page, next: cursorOf(sealed, query, { id, pit: pitId, after, seen, began, until }) };
  } catch (error) {
    const isGone = isForgotten(error);
    if (step.id === null || isGone) walks.end(es, { id, pit });
    throw isGone ? expired() : error;
  }
}

/** The engine knows no such point in time. */
const isForgotten = (error: unknown): boolean =>
  error instanceof engineErrors.ResponseError && error.statusCode === 404;
