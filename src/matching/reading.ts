import type { NameReading, ReadToken } from '../schemas/reading.js';
import { readName as readWords, type Reading, type ReadSpan } from '../naming/read-name.js';
import { targetPhrases } from '../naming/target-words.js';
import type { Role } from '../schemas/roles.js';
import { singular } from '../text/singular.js';
import { tokenize } from '../text/tokenize.js';
import { foldListingName } from './listing-name.js';
import { headLength, nameParts } from './head.js';
import type { Measures } from './measures.js';
import type { Matchable, Profile } from './profile.js';
import { readSpecification } from './specification.js';

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
    // The version of a program is its model, and the generation of a device a variant.
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

/** The models in a name: those that the metadata states, otherwise all. */
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

/** The units of each kind of quantity with their size in base units. A value is formatted in the first that it reaches. */
const UNITS_OF_KIND: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  storage: { TB: 1000, GB: 1 },
  inches: { in: 25.4 },
  mass: { kg: 1000, g: 1 },
  volume: { l: 1000, ml: 1 },
  room: { 'cu ft': 1 },
  power: { W: 1 },
  voltage: { V: 1 },
  charge: { mAh: 1 },
  frequency: { GHz: 1e9, MHz: 1e6, kHz: 1000, Hz: 1 },
  pixels: { MP: 1 },
  heat: { BTU: 1 },
  turns: { rpm: 1 },
  response: { ms: 1 },
  rate: { Gbps: 1000, Mbps: 1 },
  pressure: { bar: 1e5, kPa: 1000, Pa: 1 },
  light: { lm: 1 },
  area: { 'm²': 1 },
};
/** The lengths, in millimetres, from which on a length is formatted in metres, and in centimetres. */
const [MIN_METRES, MIN_CENTIMETRES] = [1000, 100];

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
  const units = Object.entries(kind === 'length' ? unitOfLength(size) : (UNITS_OF_KIND[kind] ?? {}));
  const [unit, factor] = units.find(([, one]) => size >= one) ??
    units.at(-1) ?? [kind.replace(/^size /, ''), 1];
  return `${Number((size / factor).toPrecision(4))} ${unit}`;
}

function unitOfLength(size: number): Record<string, number> {
  if (size >= MIN_METRES) return { m: 1000 };
  return size >= MIN_CENTIMETRES ? { cm: 10 } : { mm: 1 };
}
