import { CHANGES_SCHEMA } from '../listing/schema-versions.js';
import { DAY_MS } from '../listing/instant.js';
import { toProduct } from '../listing/product.js';
import type { Tier } from '../platform/access/tiers.js';
import { changesLost, invalidValue, tooManyOwnFollowers } from '../platform/errors.js';
import { mapInSlices } from '../platform/slices.js';
import type { ChangeKind } from '../schemas/changes.js';
import type { Caller, Context } from './context.js';
import { PositionError } from '../products/changes/change-feed.js';
import { readCursor, toCursor } from '../products/changes/cursor.js';
import type { ChangePosition } from '../products/changes/position.js';
import type { Change, ChangePage, ReadOptions } from '../products/changes/change.js';
import { checkSchema } from '../products/list-requests.js';

interface ChangesQuery {
  cursor?: string;
  from?: 'start';
  limit?: number;
  wait?: number;
  source?: string[];
  category?: string;
  kinds?: ChangeKind[];
  view?: 'ids' | 'full';
}

const FOLLOWERS_PER_KEY: Record<Tier, number> = { free: 5, basic: 10, standard: 50, premium: 250 };

/**
 * Returns the changes after a cursor, and waits for some if there are none.
 * @throws ApiError 410 for a cursor that is too old or of a catalogue that was replaced, 422 for one of another catalogue, 429 or
 * 503 if too many requests wait, 503 if the index must be reindexed first.
 */
export async function listChanges(context: Context, query: ChangesQuery, { key, isDisconnected }: Caller) {
  const { es, changes, followers, config } = context;
  const { cursor = '', from, limit = 200, wait = 0, source, category, kinds = [], view = 'full' } = query;
  await checkSchema(context, { 'the change feed': CHANGES_SCHEMA });
  const { id: client = '', tier = 'free' } = key ?? {};
  const options: ReadOptions = { limit, source, category, kinds: kinds.length > 0 ? kinds : undefined, view };
  const read = async (position: ChangePosition) => {
    try {
      return await changes.read(position, options, { client, es });
    } catch (error) {
      throw error instanceof PositionError ? refusalOf(error) : error;
    }
  };

  let page: ChangePage =
    cursor === '' && from === undefined
      ? { changes: [], position: await changes.start({ isInitial: false }), hasMore: false, resync: false }
      : await read(cursor === '' ? await changes.start({ isInitial: true }) : positionOf(context, cursor));
  if (wait > 0 && isEmpty(page)) {
    if (followers.heldBy(client) >= FOLLOWERS_PER_KEY[tier])
      throw tooManyOwnFollowers(FOLLOWERS_PER_KEY[tier]);
    const release = await followers.acquire({ client });
    try {
      const deadline = performance.now() + wait * 1_000;
      while (isEmpty(page)) {
        const withinMs = deadline - performance.now();
        if (!(await changes.untilBehind(page.position, { withinMs, isGone: isDisconnected }))) break;
        page = await read(page.position);
      }
    } finally {
      release();
    }
  }
  const { position, hasMore: has_more, resync } = page;
  const items = await mapInSlices(page.changes, (change) => itemOf(change, view, config));
  return { body: { items, cursor: toCursor(position), has_more, resync }, event: { results: items.length } };
}

const isEmpty = ({ changes, hasMore, resync }: ChangePage): boolean =>
  changes.length === 0 && !hasMore && !resync;

const WRONG_CURSOR = 'not a cursor of the change feed of this catalogue; from=start begins with all listings';
const wrongCursor = () => invalidValue(['query', 'cursor'], WRONG_CURSOR);

/** @throws ApiError 410 or 422 if nothing can be read from the cursor. */
function positionOf({ config, now }: Pick<Context, 'config' | 'now'>, cursor: string): ChangePosition {
  const position = readCursor(cursor);
  if (position === null) throw wrongCursor();
  const { changesRetentionDays: days } = config;
  if (now().getTime() - position.time > days * DAY_MS)
    throw changesLost(`The cursor is older than ${days} days`);
  return position;
}

const refusalOf = ({ reason }: PositionError) =>
  reason === 'foreign' ? wrongCursor() : changesLost('The catalogue was restored since this cursor');

function itemOf({ id, kinds, at, listing }: Change, view: 'ids' | 'full', config: Context['config']) {
  if (listing === null) return { id, kinds, at, product: null };
  return view === 'ids' ? { id, kinds, at } : { id, kinds, at, product: toProduct(listing, config) };
}
