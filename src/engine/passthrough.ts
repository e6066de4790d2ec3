import type { estypes } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import type { Json } from '../schemas/types.js';
import { affiliateUrl, type Links, toProduct } from '../listing/to-product.js';

/**
 * The fast path: listings go from the engine to the client as the bytes they are stored as, since parsing and writing
 * them again would cost more than everything else that the service does. It works because listings are stored in their
 * public shape. Whatever does not look as expected is parsed, and comes out the same.
 */

/** One listing in its public shape, as JSON in UTF-8; its affiliate link is still the feed's. */
export type ListingBytes = Buffer;

/** The hits of one answer. */
export interface HitBytes {
  /** Exact number of all that match; 0 where the request did not ask for it. */
  total: number;
  listings: ListingBytes[];
  suggest?: estypes.SearchResponse['suggest'];
  aggregations?: estypes.SearchResponse['aggregations'];
  /** The newest name of the point in time that was searched. */
  pitId?: string | undefined;
}

/** What answers are to be cut down to (`filter_path`), so that their frame is known to the byte. */
export const FRAME = ['pit_id', 'hits.total', 'hits.hits._source', 'aggregations', 'suggest'];

const HEAD =
  /^\{(?:"pit_id":"([^"]*)",)?"hits":\{(?:"total":\{"value":(\d+),"relation":"eq"\},?)?("hits":\[)?/;
const HEAD_LENGTH = 1_024;
const SUGGEST = '},"suggest":';
/** Before the suggestions, where anything was to be counted. */
const AGGREGATIONS = '},"aggregations":';
const FIRST_HIT = '{"_source":';
const NEXT_HIT = '},{"_source":';

/**
 * Takes the hits of an answer apart. Wherever one hit ends and the next begins there are the bytes of `NEXT_HIT`; a
 * hostile listing may hold them as well, and then there are more parts than hits: all is parsed instead.
 * @param counted whether aggregations were asked for.
 */
export function readHits(answer: Buffer, expected: (total: number) => number, counted = false): HitBytes {
  const plain = () => parsedHits(JSON.parse(answer.toString()) as Answer);
  const head = HEAD.exec(answer.toString('latin1', 0, HEAD_LENGTH));
  // Counts and suggestions follow the hits, and have no such members: the last such bytes are theirs. Where there are none,
  // those of a listing are followed by more closing brackets than opening ones, which is no JSON.
  const countsAt = counted ? answer.lastIndexOf(AGGREGATIONS) : -1;
  const restAt = countsAt < 0 ? answer.lastIndexOf(SUGGEST) : countsAt;
  const rest = restAt < 0 ? {} : tryParse(`{${answer.toString('utf8', restAt + 2, answer.length)}`);
  if (head === null || rest === null) return plain();
  const [frame, pitId, value, opened] = head;
  const total = Number(value ?? 0);
  const end = restAt < 0 ? answer.length - 2 : restAt;
  const hits = answer.subarray(frame.length + FIRST_HIT.length, end - '}]'.length);
  const listings = opened === undefined ? [] : split(hits, NEXT_HIT);
  if (listings.length !== expected(total)) return plain();
  return { total, listings, pitId, ...rest };
}

const FIRST_DOC = '{"docs":[{"found":';
const NEXT_DOC = '},{"found":';
const FOUND = 'true,"_source":';

/**
 * Takes the answer to a read of several ids apart, as `readHits` does.
 * @returns in their order, null for an id that nobody has; null: it is not as expected, or tells of an error.
 */
export function readDocs(answer: Buffer, expected: number): (ListingBytes | null)[] | null {
  if (answer.includes('{"error":')) return null;
  const docs = split(answer.subarray(FIRST_DOC.length, -'}]}'.length), NEXT_DOC);
  return docs.length === expected ? docs.map(listingOf) : null;
}

/** @param doc `true,"_source":{…}` or `false` */
const listingOf = (doc: Buffer): ListingBytes | null =>
  doc.length < FOUND.length ? null : doc.subarray(FOUND.length);

/** What stands between separators. */
function split(bytes: Buffer, separator: string): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(separator, start);
    if (end < 0) return [...parts, bytes.subarray(start)];
    parts.push(bytes.subarray(start, end));
    start = end + separator.length;
  }
}

type Answer = Partial<estypes.SearchResponse<Product>>;

function tryParse(text: string): Pick<HitBytes, 'suggest' | 'aggregations'> | null {
  try {
    return JSON.parse(text) as Pick<HitBytes, 'suggest' | 'aggregations'>;
  } catch {
    return null;
  }
}

/** The plain way to the same. `filter_path` leaves out what is empty, so everything may be missing. */
export function parsedHits(answer: Answer): HitBytes {
  const total = answer.hits?.total;
  const sources = (answer.hits?.hits ?? []).flatMap(({ _source }) =>
    _source === undefined ? [] : [_source],
  );
  return {
    total: typeof total === 'number' ? total : (total?.value ?? 0),
    listings: sources.map((source) => Buffer.from(JSON.stringify(source))),
    pitId: answer.pit_id,
    ...(answer.aggregations === undefined ? {} : { aggregations: answer.aggregations }),
    ...(answer.suggest === undefined ? {} : { suggest: answer.suggest }),
  };
}

/** A field's name ends with `":`, which no text holds: there a quotation mark has a backslash before it. */
const LINK = '"affiliate_url":';
/** Right before it where there is no shop to lead to. */
const NOWHERE = '"buy_url":null,';
const NO_LINK = 'null,"image_url":';
const METADATA = '"metadata":';
const ID = /^\{"id":(\d+),/;

/** What `toProduct` makes of the listing, in pieces: with the service's link where the feed brought none. */
function productPieces(listing: ListingBytes, links: Links): Buffer[] {
  const at = listing.indexOf(LINK);
  const id = ID.exec(listing.toString('latin1', 0, 32))?.[1];
  const metadataAt = listing.indexOf(METADATA);
  // Not as the service writes it: nothing is known of it.
  if (id === undefined || at < 0 || metadataAt < at) return [plainProduct(listing, links)];
  const value = at + LINK.length;
  if (listing.toString('latin1', value, value + NO_LINK.length) !== NO_LINK) return [listing];
  if (listing.toString('latin1', at - NOWHERE.length, at) === NOWHERE) return [listing];
  // A template may want more of the listing than its id: all that it may want stands before the link.
  const wanted =
    Object.keys(links.affiliateTemplates).length === 0
      ? `{"id":${id},"source":"","buy_url":""}`
      : head(listing, at);
  const link = JSON.stringify(affiliateUrl(JSON.parse(wanted) as Product, links));
  return [listing.subarray(0, value), Buffer.from(link), listing.subarray(value + 'null'.length)];
}

const head = (listing: ListingBytes, end: number): string => `${listing.toString('utf8', 0, end - 1)}}`;

const plainProduct = (listing: ListingBytes, links: Links): Buffer =>
  Buffer.from(JSON.stringify(toProduct(JSON.parse(listing.toString()) as Product, links)));

/** The listings as products in pieces, with `separator` between them. */
export function joinProducts(listings: readonly ListingBytes[], links: Links, separator: Buffer): Buffer[] {
  return listings.flatMap((listing, place) => [
    ...(place === 0 ? [] : [separator]),
    ...productPieces(listing, links),
  ]);
}

/** JSON of one listing as a product. */
export const productBytes = (listing: ListingBytes, links: Links): Json<Product> =>
  Buffer.concat(productPieces(listing, links));

const COMMA = Buffer.from(',');

/** JSON of `frame` with one more member, `items`: the listings as products. */
export function withItems<Frame extends object>(
  frame: Frame,
  listings: readonly ListingBytes[],
  links: Links,
): Json<Frame & { items: Product[] }> {
  const open = Buffer.from(`${JSON.stringify(frame).slice(0, -1)},"items":[`);
  return Buffer.concat([open, ...joinProducts(listings, links, COMMA), Buffer.from(']}')]);
}
