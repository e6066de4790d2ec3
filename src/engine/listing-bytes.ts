import type { estypes } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import type { Json } from '../schemas/types.js';
import { affiliateUrl, type LinkSettings, toProduct } from '../listing/product.js';
import { parseJson } from '../platform/parse-json.js';
import { totalOf } from './deep-offset.js';

/**
 * Listings are passed on as bytes, because they are stored in their public shape: a page of 20 listings takes 0.08 ms of CPU
 * time instead of 0.15 to 0.19 ms. An unexpected answer is parsed, with the same result.
 */

/** The JSON of a listing in UTF-8, in its public shape but with the affiliate link of the feed. */
export type ListingBytes = Buffer;

/** The hits of a search, whose listings are bytes that were not parsed. */
export interface HitBytes {
  /** The number of listings that match, or `track_total_hits` if more match; 0 if the request did not ask for it. */
  total: number;
  listings: ListingBytes[];
  suggest?: estypes.SearchResponse['suggest'];
  aggregations?: estypes.SearchResponse['aggregations'];
  /** The current id of the point in time in which the search ran. */
  pitId?: string | undefined;
}

/** The members of a search answer that are requested (`filter_path`). Thus all bytes around the listings are known. */
export const RESPONSE_MEMBERS = [
  'pit_id',
  'took',
  'hits.total',
  'hits.hits._source',
  'aggregations',
  'suggest',
];

const HEAD =
  /^\{(?:"pit_id":"([^"]*)",)?(?:"took":\d+,)?"hits":\{(?:"total":\{"value":(\d+),"relation":"(?:eq|gte)"\},?)?("hits":\[)?/;
const HEAD_LENGTH = 1_024;
const SUGGEST = '},"suggest":';
/** The bytes before the aggregations of an answer. Suggestions come after the aggregations. */
const AGGREGATIONS = '},"aggregations":';
const FIRST_HIT = '{"_source":';
const NEXT_HIT = '},{"_source":';

/**
 * Splits the answer to a search into its hits. If a hostile listing contains the bytes that stand between two hits, there are
 * more parts than hits, and the answer is parsed.
 * @param expectedHits the number of hits to expect for a total.
 */
export function readHits(
  answer: Buffer,
  expectedHits: (total: number) => number,
  hasAggregations = false,
): HitBytes {
  const plain = () => parsedHits(JSON.parse(answer.toString()) as SearchAnswerBody);
  const head = HEAD.exec(answer.toString('latin1', 0, HEAD_LENGTH));
  // Aggregations and suggestions follow the hits and never contain these bytes, so the last occurrence is their start. If there
  // are neither, it is inside a listing, and what follows is not JSON.
  const aggregationsAt = hasAggregations ? answer.lastIndexOf(AGGREGATIONS) : -1;
  const restAt = aggregationsAt < 0 ? answer.lastIndexOf(SUGGEST) : aggregationsAt;
  const rest = (restAt < 0 ? {} : parseJson(`{${answer.toString('utf8', restAt + 2, answer.length)}`)) as
    Pick<HitBytes, 'suggest' | 'aggregations'> | undefined;
  if (head === null || rest === undefined) return plain();
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

/** Splits the answer to a multi-get request; null for an id without a listing. @returns null if it has an error or is unexpected. */
export function readDocs(answer: Buffer, expected: number): (ListingBytes | null)[] | null {
  if (answer.includes('{"error":')) return null;
  const docs = split(answer.subarray(FIRST_DOC.length, -'}]}'.length), NEXT_DOC);
  // In an answer, `"found":` is followed by `true,"_source":{…}` if there is a listing, otherwise by `false`.
  const listingOf = (doc: Buffer) => (doc.length < FOUND.length ? null : doc.subarray(FOUND.length));
  return docs.length === expected ? docs.map(listingOf) : null;
}

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

/** Converts an answer that had to be parsed to hits with listings as bytes. */
export function parsedHits(answer: SearchAnswerBody): HitBytes {
  const sources = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  return {
    total: totalOf(answer),
    listings: sources.map((source) => Buffer.from(JSON.stringify(source))),
    pitId: answer.pit_id,
    ...(answer.aggregations === undefined ? {} : { aggregations: answer.aggregations }),
    ...(answer.suggest === undefined ? {} : { suggest: answer.suggest }),
  };
}

/** The member with the affiliate link. JSON escapes quotation marks, so no text contains these characters. */
const LINK = '"affiliate_url":';
/** What precedes `LINK` in a listing without a page at the shop, which gets no affiliate link. */
const NO_BUY_URL = '"buy_url":null,';
const NO_LINK = 'null,"image_url":';
const METADATA = '"metadata":';
const ID = /^\{"id":(\d+),/;

/** The JSON of a listing as clients receive it, in pieces of bytes, with an affiliate link of the service if the feed has none. */
function productPieces(listing: ListingBytes, links: LinkSettings): Buffer[] {
  const at = listing.indexOf(LINK);
  const value = at + LINK.length;
  // The beginning is decoded once, because each call of a method of a buffer takes longer than decoding some hundred characters.
  const head = at < 0 ? '' : listing.toString('latin1', 0, value + NO_LINK.length);
  const id = ID.exec(head)?.[1];
  // JSON in which these members are in another order was not written by the service, so it is parsed.
  if (id === undefined || head.includes(METADATA)) {
    return [Buffer.from(JSON.stringify(toProduct(JSON.parse(listing.toString()) as Product, links)))];
  }
  if (!head.endsWith(NO_LINK) || head.startsWith(NO_BUY_URL, at - NO_BUY_URL.length)) return [listing];
  // Templates of affiliate links may use the other fields of the listing, which all precede the link.
  const fields =
    Object.keys(links.affiliateTemplates).length === 0
      ? { id: Number(id), sku: '', source: '', buy_url: '' }
      : (JSON.parse(`${listing.toString('utf8', 0, at - 1)}}`) as Product);
  const link = JSON.stringify(affiliateUrl(fields, links));
  return [listing.subarray(0, value), Buffer.from(link), listing.subarray(value + 'null'.length)];
}

/** The JSON of several listings as products, in pieces of bytes, with `separator` between two listings. */
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

/** The JSON of one listing as clients receive it, in UTF-8. */
export const productBytes = (listing: ListingBytes, links: LinkSettings): Json<Product> =>
  Buffer.concat(productPieces(listing, links));

const COMMA = Buffer.from(',');

/** Creates a JSON object with the members of `frame` and a last member `items`: the listings as clients receive them. */
export function withItems<Frame extends object>(
  frame: Frame,
  hits: readonly { bytes?: ListingBytes; _source?: Product | undefined }[],
  links: LinkSettings,
): Json<Frame & { items: Product[] }> {
  // `_source` is read only if there are no bytes, because reading it parses them.
  const listings = hits.map((hit) => hit.bytes ?? Buffer.from(JSON.stringify(hit._source)));
  const open = Buffer.from(`${JSON.stringify(frame).slice(0, -1)},"items":[`);
  return Buffer.concat([open, ...joinProducts(listings, links, COMMA), Buffer.from(']}')]);
}
