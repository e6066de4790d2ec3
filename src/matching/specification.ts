import type { StoredListing } from '../listing/listing.js';
import { COLOURS } from '../naming/lexicon.js';
import { foldProse } from '../text/fold.js';
import { memoize } from '../text/memoize.js';
import { tokenize } from '../text/tokenize.js';
import { conceptsOf, EDITIONS } from '../text/vocabulary.js';
import { readAttributes, withStatedMeasures } from './attributes.js';

import { foldListingName, headLength } from './listing-name.js';
import { readMeasures } from './measures.js';

/** A control character, which no name contains, marks where the head of a folded name ends. */
const HEAD_END = '\u0001';

/** Reads the sizes, colours and editions that the name and the metadata of a listing state, and the rest of the name. */
export function readSpecification({
  name,
  brand: stated,
  metadata,
}: Pick<StoredListing, 'name' | 'brand'> & Partial<Pick<StoredListing, 'metadata'>>) {
  const folded = foldListingName(name);
  const attributes = readAttributes(metadata);
  const headEnd = headLength(folded);
  const measures = withStatedMeasures(
    readMeasures(folded.slice(0, headEnd) + HEAD_END + folded.slice(headEnd)),
    attributes,
  );
  const [head = '', ...tail] = measures.rest.split(HEAD_END);
  // The vocabularies list words in the form that shops write, so the words are looked up before plurals
  // become singular.
  const raw: readonly string[] = measures.rest.split(/[^\p{L}\p{N}]+/u);
  const brand: readonly string[] = stated === null ? [] : wordsOfField(stated);
  const notOfBrand = raw.filter((text) => !brand.includes(text));
  return {
    /** The name as `foldListingName` returns it. */
    folded,
    attributes,
    measures,
    /** The text of the head and of the remaining name, without the measures. */
    rest: { head, tail: tail.join(' ') },
    /** The words of the name without the measures, as shops write them. */
    raw,
    /** The words of the stated brand. */
    brand,
    colours: conceptsOf(COLOURS, notOfBrand),
    editions: conceptsOf(EDITIONS, raw),
  };
}

const MEMOIZED_FIELDS = 2_048;

/** The words of a brand or a category. */
export const wordsOfField = memoize(MEMOIZED_FIELDS, (text): readonly string[] =>
  tokenize(foldProse(text)).map((word) => word.text),
);
