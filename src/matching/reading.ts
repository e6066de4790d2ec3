import type { NameReading, ReadToken } from '../schemas/reading.js';
import { readName as readWords, type Reading, type ReadSpan } from '../naming/read-name.js';
import { targetPhrases } from '../naming/target-words.js';
import type { Role } from '../schemas/roles.js';
import { singular } from '../text/singular.js';
import { tokenize } from '../text/tokenize.js';
import { UNITS } from '../text/units.js';
import { foldListingName, headLength, nameParts } from './listing-name.js';

import type { Measures } from './measures.js';
import { type Matchable, type Profile, readSpecification } from './profile.js';

/** How matching understands the name of a listing, for people. Words are in lower case and in the singular, as they are compared. */
export const readName = (listing: Matchable): NameReading => readingWithWords(listing).reading;

/** How the name of a listing is understood, with the role of each word. */
export function readNameInDetail(listing: Matchable): NameReading {
  const { reading, words } = readingWithWords(listing);
  return { ...reading, tokens: tokensOf(listing.name, words) };
}

const tokensOf = (name: string, { tokens, spans }: Reading): ReadToken[] =>
  spans.flatMap(({ role, scope, tokens: [start, end] }) =>
    tokens.from.slice(start, end).map((from, at) => {
      const to = tokens.to[start + at] ?? from;
      return { text: name.slice(from, to), from, to, role, scope };
    }),
  );

function readingWithWords(listing: Matchable): { reading: NameReading; words: Reading } {
  const { folded, measures, colours, editions, attributes } = readSpecification(listing);
  const maker = listing.brand ?? listing.internal.maker ?? null;
  const words = readWords(listing.name, {
    stated: {
      brand: maker,
      models: listing.internal.models,
      categories: [listing.category ?? ''],
      attributes: new Map([...attributes].map(([name, { text }]) => [name, text])),
    },
  });
  const { spans } = words;
  const ofItem = (...roles: Role[]) =>
    spans.filter(({ role, scope }) => scope === 'item' && roles.includes(role));
  const wordsOf = (...roles: Role[]) => wordsIn(listing.name, ofItem(...roles));
  const model = modelIn(listing, ofItem('model'));
  const reading = {
    maker,
    line: wordsOf('line'),
    // Without a model, the generation or version counts as the model, as for programs. Otherwise, it is part of the variant.
    model: model ?? wordsOf('generation'),
    variant: model === null ? wordsOf('tier') : wordsOf('tier', 'generation'),
    kind: wordsIn(listing.name, ofItem('kind').slice(-1)) ?? kindOfCategory(listing),
    sizes: [...sizesOf(measures, folded), ...namedSize(attributes)],
    count: measures.count,
    colour: joinedConcepts(colours),
    edition: joinedConcepts(editions),
    compatible_with: targetPhrases(folded).map(
      (phrase) => phrase.split(' / ')[0]?.replace(/\s+/g, ' ') ?? phrase,
    ),
    specification: nameParts(folded.slice(headLength(folded))),
  };
  return { reading, words };
}

/** The models in a name: those that the listing also states as a model number, or if it states none of them, all. */
function modelIn({ name, internal }: Matchable, models: readonly ReadSpan[]): string | null {
  const stated = models.filter(({ normal }) => internal.models.includes(normal.replaceAll(' ', '')));
  return wordsIn(name, stated.length > 0 ? stated : models);
}

/** The words of spans of a name, each once, in the form in which names are compared; null if there are none. */
function wordsIn(name: string, spans: readonly ReadSpan[]): string | null {
  const words = spans.flatMap(({ from, to }) => comparedWords(name.slice(from, to)));
  return words.length === 0 ? null : [...new Set(words)].join(' ');
}

const comparedWords = (text: string): string[] =>
  tokenize(foldListingName(text)).map((word) => (word.kind === 'word' ? singular(word.text) : word.text));

/** The last noun of the category that a listing states; null if it states none. */
const kindOfCategory = ({ category }: Matchable): string | null =>
  comparedWords(category ?? '').findLast((word) => /^\p{L}{3,}$/u.test(word)) ?? null;

const joinedConcepts = (concepts: ReadonlySet<string>): string | null =>
  concepts.size === 0 ? null : [...concepts].join(', ');

/** The units in which sizes are shown, the largest of a kind first. A size is shown in the first that it reaches. */
const SHOWN_UNITS =
  'TB, GB, in, m, cm, mm, kg, g, l, ml, cu ft, W, V, mAh, GHz, MHz, kHz, Hz, MP, BTU, rpm, ms, Gbps, Mbps, bar, kPa, Pa, lm, m²'
    .split(', ')
    .map((shown) => ({ shown, ...UNITS.get(shown === 'm²' ? 'sqm' : shown.toLowerCase()) }));
/** The length, in millimetres, from which on a length is shown in centimetres. */
const MIN_CENTIMETRES = 100;

/** Matches the name of a mobile network such as "5G", which is otherwise read as a mass of five grams. */
const NETWORK = /\b([2-6])g\b/;

/** The size that the metadata states by a name, such as `super single`. */
function namedSize(attributes: Profile['attributes']): string[] {
  const { text = '' } = attributes.get('size') ?? {};
  return text === '' || /\d/.test(text) ? [] : [text];
}

function sizesOf({ values }: Measures, folded: string): string[] {
  const network = Number(NETWORK.exec(folded)?.[1] ?? 0);
  const isSize = (kind: string, size: number) => kind !== 'cache' && !(kind === 'mass' && size === network);
  return [
    ...new Set(
      [...values].flatMap(([kind, sizes]) =>
        sizes.filter((size) => isSize(kind, size)).map((size) => formatSize(kind, size)),
      ),
    ),
  ];
}

function formatSize(kind: string, size: number): string {
  const units = SHOWN_UNITS.filter((unit) => unit.kind === kind);
  const least = ({ shown, factor = 1 }: (typeof units)[number]) =>
    shown === 'cm' ? MIN_CENTIMETRES : factor;
  const { shown = kind.replace(/^size /, ''), factor = 1 } =
    units.find((unit) => size >= least(unit)) ?? units.at(-1) ?? {};
  return `${Number((size / factor).toPrecision(4))} ${shown}`;
}
