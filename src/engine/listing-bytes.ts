import type { estypes } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import type { Json } from '../schemas/types.js';
import { affiliateUrl, type LinkSettings, toProduct } from '../listing/product.js';

/**
 * Listings are passed on from Elasticsearch to the client as the bytes of their JSON. This takes 0.08 ms of processor time for
 * a page of 20 listings, where parsing and writing them takes 0.15 to 0.19 ms, and it keeps exports out of the garbage
 * collector. It works because listings are stored in their public shape; what does not look as expected is parsed instead,
 * with the same result.
 */

/** The JSON of a listing in its public shape, in UTF-8. Its affiliate link is still the one of the feed. */
export type ListingBytes = Buffer;

/** The hits of a search, unparsed. */
export interface HitBytes {
  /** The exact number of listings that match; 0 if the request did not ask for it. */
  total: number;
  listings: ListingBytes[];
  suggest?: estypes.SearchResponse['suggest'];
  aggregations?: estypes.SearchResponse['aggregations'];
  /** The current id of the point in time that was searched. */
  pitId?: string | undefined;
}

/** The members to which answers are reduced (`filter_path`), so that every byte around the listings is known. */
export const RESPONSE_MEMBERS = ['pit_id', 'hits.total', 'hits.hits._source', 'aggregations', 'suggest'];

const HEAD =
  /^\{(?:"pit_id":"([^"]*)",)?"hits":\{(?:"total":\{"value":(\d+),"relation":"eq"\},?)?("hits":\[)?/;
const HEAD_LENGTH = 1_024;
const SUGGEST = '},"suggest":';
/** The aggregations come before the suggestions. */
const AGGREGATIONS = '},"aggregations":';
const FIRST_HIT = '{"_source":';
const NEXT_HIT = '},{"_source":';

/**
 * Separates the hits of an answer. The bytes of `NEXT_HIT` stand between two hits; a hostile listing may contain them as well,
 * and then there are more parts than hits and the answer is parsed.
 * @param expectedHits the number of hits for a total.
 * @param hasAggregations whether the request had aggregations.
 */
export function readHits(
  answer: Buffer,
  expectedHits: (total: number) => number,
  hasAggregations = false,
): HitBytes {
  const plain = () => parsedHits(JSON.parse(answer.toString()) as SearchAnswerBody);
  const head = HEAD.exec(answer.toString('latin1', 0, HEAD_LENGTH));
  // Aggregations and suggestions follow the hits and contain no such member, so the last occurrence starts them. If there are
  // none, the last occurrence is in a listing, and what follows has unbalanced brackets and is not JSON.
  const aggregationsAt = hasAggregations ? answer.lastIndexOf(AGGREGATIONS) : -1;
  const restAt = aggregationsAt < 0 ? answer.lastIndexOf(SUGGEST) : aggregationsAt;
  const rest = restAt < 0 ? {} : tryParse(`{${answer.toString('utf8', restAt + 2, answer.length)}`);
  if (head === null || rest === null) return plain();
  const [frame, pitId, value, opened] = head;
  const total = Number(value ?? 0);
  const end = restAt < 0 ? answer.length - 2 : restAt;
  const hits = answer.subarray(frame.length + FIRST_HIT.length, end - '}]'.length);
  const listings = opened === undefined ? [] : split(hits, NEXT_HIT);
  if (listings.length !== expectedHits(total)) return plain();
  return { total, listings, pitId, ...rest };
}

const FIRST_DOC = '{"docs":[{"found":';
const NEXT_DOC = '},{"found":';
const FOUND = 'true,"_source":';

/**
 * Separates the documents of a multi-get answer, as `readHits` does.
 * @returns the listings in their order, null for an id that no listing has; or null if the answer is not as expected or
 * contains an error.
 */
export function readDocs(answer: Buffer, expected: number): (ListingBytes | null)[] | null {
  if (answer.includes('{"error":')) return null;
  const docs = split(answer.subarray(FIRST_DOC.length, -'}]}'.length), NEXT_DOC);
  return docs.length === expected ? docs.map(listingOf) : null;
}

/** @param doc `true,"_source":{…}` or `false`. */
const listingOf = (doc: Buffer): ListingBytes | null =>
  doc.length < FOUND.length ? null : doc.subarray(FOUND.length);

/** The parts between separators. */
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

type SearchAnswerBody = Partial<estypes.SearchResponse<Product>>;

function tryParse(text: string): Pick<HitBytes, 'suggest' | 'aggregations'> | null {
  try {
    return JSON.parse(text) as Pick<HitBytes, 'suggest' | 'aggregations'>;
  } catch {
    return null;
  }
}

/** The hits of a parsed answer. `filter_path` leaves out empty members, so each of them may be missing. */
export function parsedHits(answer: SearchAnswerBody): HitBytes {
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

/** The end of a field name, `":`, cannot occur in text, because JSON escapes the quotation mark there. */
const LINK = '"affiliate_url":';
/** Precedes the affiliate link if there is no page at the shop to link to. */
const NO_BUY_URL = '"buy_url":null,';
const NO_LINK = 'null,"image_url":';
const METADATA = '"metadata":';
const ID = /^\{"id":(\d+),/;

/** The JSON that `toProduct` would give, in pieces: an affiliate link of the service is inserted if the feed has none. */
function productPieces(listing: ListingBytes, links: LinkSettings): Buffer[] {
  const at = listing.indexOf(LINK);
  const id = ID.exec(listing.toString('latin1', 0, 32))?.[1];
  const metadataAt = listing.indexOf(METADATA);
  // The service did not write this JSON, so the order of its members is unknown.
  if (id === undefined || at < 0 || metadataAt < at) return [plainProduct(listing, links)];
  const value = at + LINK.length;
  if (listing.toString('latin1', value, value + NO_LINK.length) !== NO_LINK) return [listing];
  if (listing.toString('latin1', at - NO_BUY_URL.length, at) === NO_BUY_URL) return [listing];
  // Templates may use fields of the listing besides its id; all of these precede the link.
  const fields =
    Object.keys(links.affiliateTemplates).length === 0
      ? `{"id":${id},"source":"","buy_url":""}`
      : head(listing, at);
  const link = JSON.stringify(affiliateUrl(JSON.parse(fields) as Product, links));
  return [listing.subarray(0, value), Buffer.from(link), listing.subarray(value + 'null'.length)];
}

const head = (listing: ListingBytes, end: number): string => `${listing.toString('utf8', 0, end - 1)}}`;

const plainProduct = (listing: ListingBytes, links: LinkSettings): Buffer =>
  Buffer.from(JSON.stringify(toProduct(JSON.parse(listing.toString()) as Product, links)));

/** The JSON of listings as products, in pieces, with `separator` between them. */
export function joinProducts(
  listings: readonly ListingBytes[],
  links: LinkSettings,
  separator: Buffer,
): Buffer[] {
  return listings.flatMap((listing, place) => [
    ...(place === 0 ? [] : [separator]),
    ...productPieces(listing, links),
  ]);
}

/** The JSON of a listing as a product. */
export const productBytes = (listing: ListingBytes, links: LinkSettings): Json<Product> =>
  Buffer.concat(productPieces(listing, links));

const COMMA = Buffer.from(',');

/** The JSON of `frame` with a further member `items`: the listings of the hits as products. */
export function withItems<Frame extends object>(
  frame: Frame,
  hits: readonly { bytes?: ListingBytes; _source?: Product | undefined }[],
  links: LinkSettings,
): Json<Frame & { items: Product[] }> {
  const listings = hits.map(({ bytes, _source }) => bytes ?? Buffer.from(JSON.stringify(_source)));
  const open = Buffer.from(`${JSON.stringify(frame).slice(0, -1)},"items":[`);
  return Buffer.concat([open, ...joinProducts(listings, links, COMMA), Buffer.from(']}')]);
}
