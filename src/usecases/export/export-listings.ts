import { Readable } from 'node:stream';
import type { Caller, Context } from '../context.js';
import type { ListingBytes } from '../../engine/listing-bytes.js';
import type { Filters } from '../../engine/queries/filters.js';
import { filterClauses } from '../../engine/queries/refinements.js';
import { PARTNER_SOURCE, PUBLIC_SOURCE } from '../../engine/queries/selection.js';
import { openSnapshot } from '../../engine/snapshot.js';
import type { LinkSettings } from '../../listing/product.js';
import type { Tier } from '../../platform/access/tiers.js';
import { badRequest, tooManyOwnExports } from '../../platform/errors.js';
import { slices } from '../../platform/slices.js';
import type { PageQuery } from '../../schemas/include.js';
import { checkFilters, checkInclude } from '../../products/list-requests.js';
import {
  EXPORT_FORMATS,
  EXPORT_REPORTS,
  EXTENSIONS,
  type ExportFormat,
  type ExportName,
  formatsWith,
} from './formats.js';

type ExportQuery = Filters & PageQuery & { format?: ExportName; report?: boolean };

const EXPORTS_PER_KEY: Record<Tier, number> = { free: 2, basic: 2, standard: 2, premium: 4 };

/** The maximum number of listings that are formatted and sent at a time, about 50 kB. */
const CHUNK_SIZE = 20;

/** If a chunk takes longer than this, the next one is smaller, because it blocks all other requests. */
const CHUNK_MS = 0.5;

/** Streams listings of one snapshot, sorted by id. @throws ApiError 400 for a wrong parameter, 429 or 503 for too many exports. */
export async function exportListings(
  context: Context,
  query: ExportQuery,
  { key, spend }: Pick<Caller, 'key' | 'spend'>,
) {
  const { es, products, config, exports, now } = context;
  const { format = 'json', report = false, include = [], limit = 1000, offset = 0 } = query;
  const isPartnerFeed = format === 'google' || format === 'openai';
  if (report && !isPartnerFeed) throw badRequest('report needs format=google or format=openai');
  if (include.length > 0 && isPartnerFeed) throw badRequest('include needs format=json, csv or ndjson');
  await checkFilters(context, query);
  await checkInclude(context, include);
  const filter = filterClauses(query, now(), context.rates);

  const { id: client = '', tier = 'free' } = key ?? {};
  if (exports.heldBy(client) >= EXPORTS_PER_KEY[tier]) throw tooManyOwnExports(EXPORTS_PER_KEY[tier]);
  const releaseSlot = await exports.acquire({ client });
  const included = include.length === 0 ? null : formatsWith(include, context);
  const source = isPartnerFeed ? PARTNER_SOURCE : (included?.source ?? PUBLIC_SOURCE);
  const opening = openSnapshot(es, products, { bool: { filter } }, { limit, offset }, source);
  const snapshot = await opening.catch((error: unknown) => {
    releaseSlot();
    throw error;
  });
  const formats = { ...EXPORT_FORMATS, ...included?.formats };
  const writer = report && isPartnerFeed ? EXPORT_REPORTS[format] : formats[format];
  const body = Readable.from(chunks(snapshot.pages, writer, config, spend), { objectMode: false });
  // The stream emits `close` in every case, also if the client disconnects or reading never starts.
  body.once('close', () => {
    releaseSlot();
    void snapshot.close();
  });

  const fileName = report ? `refused-${format}.ndjson` : `products.${EXTENSIONS[format] ?? format}`;
  const hasMore = offset + limit < snapshot.total;
  const nextUrl = `${config.publicUrl}/v1/products/export?${parametersOf({ ...query, offset: offset + limit })}`;
  return {
    headers: {
      'Content-Type': writer.contentType,
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'X-Total-Count': String(snapshot.total),
      ...(hasMore ? { Link: `<${nextUrl}>; rel="next"` } : {}),
    },
    body,
    event: { results: snapshot.total },
  };
}

async function* chunks(
  pages: AsyncGenerator<ListingBytes[]>,
  writer: ExportFormat,
  links: LinkSettings,
  spend: Caller['spend'],
) {
  let isFirst = true;
  const nextTurn = slices();
  let size = CHUNK_SIZE;
  yield writer.open;
  for (;;) {
    const { done, value: listings } = await pages.next();
    if (done === true) break;
    // Written listings are removed from the page, so that a slow client does not keep them in memory.
    while (listings.length > 0) {
      const some = listings.splice(0, size);
      await nextTurn();
      const started = performance.now();
      const rows = writer.rows(some, links, isFirst);
      const ms = performance.now() - started;
      spend(ms);
      yield rows;
      size = ms > CHUNK_MS ? Math.ceil(size / 2) : Math.min(CHUNK_SIZE, size + 1);
      isFirst = false;
    }
  }
  yield writer.close;
}

function parametersOf(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    parameters.append(name, Array.isArray(value) ? value.join('|') : String(value));
  return parameters.toString();
}
