import type { CatalogueWords } from '../../src/naming/classifiers/catalogue.js';
import { evidence } from '../../src/naming/evidence.js';
import { isIn } from '../../src/naming/lexicon.js';
import { compactKey, foldToken, GAP, readTokens, type Tokens } from '../../src/naming/tokens.js';
import { ROLES } from '../../src/schemas/roles.js';

/** The fields of a listing from which words are learned. */
export interface TaughtListing {
  name: string;
  /** The brand that the feed states, or the inferred maker. */
  maker: string | null;
  /** The categories that the feed states. */
  categories: readonly string[];
}

/** In how many names of a catalogue a word occurs, and in how many of them at each place. */
const NO_USES = { names: 0, last: 0, beforeCode: 0, afterFor: 0, inCategory: 0, inMaker: 0, first: 0 };
type Uses = typeof NO_USES & { makers: Map<string, number> };

/** Levels of a share, the first whose minimum is reached. */
const LEVELS: readonly (readonly [least: number, name: string])[] = [
  [0.8, 'mostly'],
  [0.5, 'often'],
  [0.2, 'sometimes'],
  [0.05, 'seldom'],
];
/** The minimum number of names with a word from which its uses are learned. */
const MIN_NAMES = 3;
const FREQUENCIES: readonly (readonly [least: number, name: string])[] = [
  [300, 'in hundreds of names'],
  [30, 'in dozens of names'],
  [8, 'in several names'],
  [0, 'in few names'],
];

const READ = LEVELS.slice(0, 2).map(([, level]) => ROLES.map((role) => evidence(`read ${level} as ${role}`)));
const MANY = 8;
const levelsOf = (use: string): number[] => LEVELS.map(([, level]) => evidence(`used ${level} ${use}`));
const OF_ONE_MAKER = levelsOf('for one maker');
const PLACES = [
  ['last', levelsOf('at the end')],
  ['beforeCode', levelsOf('before a number')],
  ['afterFor', levelsOf('after "for"')],
  ['inCategory', levelsOf('as a category')],
  ['inMaker', levelsOf('as a maker')],
  ['first', levelsOf('at the beginning')],
] as const;
const OFTEN = FREQUENCIES.map(([, name]) => evidence(`used ${name}`));
const [MANY_MAKERS, SOME_MAKERS] = [evidence('used for many makers'), evidence('used for some makers')];

/** Learns how words are used in the names of a catalogue. @param names the makers and lines that are known. */
export function learnWords(
  listings: Iterable<TaughtListing>,
  names: CatalogueWords['names'],
): CatalogueWords {
  const uses = new Map<string, Uses>();
  const seen = new Set<string>();
  for (const listing of listings) {
    const tokens = readTokens(listing.name);
    const key = tokens.text.join(' ');
    if (seen.has(key)) continue;
    seen.add(key);
    countUses(tokens, listing, uses);
  }
  const learned = new Map<string, number[]>();
  for (const [word, counts] of uses) if (counts.names >= MIN_NAMES) learned.set(word, evidenceOfUses(counts));
  return { names, uses: learned };
}

function countUses(tokens: Tokens, { maker, categories }: TaughtListing, uses: Map<string, Uses>): void {
  const { text, gap } = tokens;
  const makerTokens = new Set(maker === null ? [] : readTokens(maker).text);
  const makerKey = maker === null ? '' : compactKey(readTokens(maker));
  const ofCategories = new Set(categories.flatMap((category) => readTokens(category).text.map(stem)));
  let afterFor = false;
  const done = new Set<string>();
  text.forEach((word, at) => {
    if (gap[at] === GAP.mark) afterFor = false;
    if (/^\d/.test(word) || done.has(word)) return;
    done.add(word);
    const one = uses.get(word) ?? { ...NO_USES, makers: new Map<string, number>() };
    uses.set(word, one);
    one.names += 1;
    if (makerKey !== '' && !makerTokens.has(word))
      one.makers.set(makerKey, (one.makers.get(makerKey) ?? 0) + 1);
    const next = text[at + 1] ?? '';
    const ends = next === '' || gap[at + 1] === GAP.mark || isIn('target', next) || isIn('with', next);
    one.last += ends ? 1 : 0;
    one.beforeCode += !ends && /\d/.test(next) ? 1 : 0;
    one.afterFor += afterFor ? 1 : 0;
    one.inCategory += ofCategories.has(stem(word)) ? 1 : 0;
    one.inMaker += makerTokens.has(word) ? 1 : 0;
    one.first += at === 0 ? 1 : 0;
    afterFor ||= isIn('target', word);
  });
}

/** A word without the ending of a plural. */
const stem = (word: string): string => foldToken(word).replace(/(?<=...)s$/, '');

function evidenceOfUses(uses: Uses): number[] {
  const { names, makers } = uses;
  const found = [OFTEN[FREQUENCIES.findIndex(([least]) => names >= least)] ?? 0];
  const atLevel = (levels: readonly number[], share: number) =>
    levels[LEVELS.findIndex(([least]) => share >= least)] ?? 0;
  const known = [...makers.values()].reduce((sum, count) => sum + count, 0);
  if (known >= MIN_NAMES) found.push(atLevel(OF_ONE_MAKER, Math.max(...makers.values()) / known));
  if (makers.size >= MIN_NAMES) found.push(makers.size > MANY ? MANY_MAKERS : SOME_MAKERS);
  for (const [place, levels] of PLACES) found.push(atLevel(levels, uses[place] / names));
  return found;
}

/** Adds the role (`read`) that each word has in most names of a catalogue. It is assumed in names that do not show the role. */
export function learnReadings(
  catalogue: CatalogueWords,
  names: Iterable<string>,
  read: (tokens: Tokens) => readonly number[],
): CatalogueWords {
  const roles = new Map<string, Uint32Array>();
  const seen = new Set<string>();
  for (const name of names) {
    const tokens = readTokens(name);
    const key = tokens.text.join(' ');
    if (seen.has(key)) continue;
    seen.add(key);
    read(tokens).forEach((role, at) => {
      const word = tokens.text[at] ?? '';
      if (/^\d/.test(word)) return;
      const counts = roles.get(word) ?? new Uint32Array(ROLES.length);
      counts[role] = (counts[role] ?? 0) + 1;
      roles.set(word, counts);
    });
  }
  const uses = new Map(catalogue.uses);
  for (const [word, counts] of roles) {
    const all = counts.reduce((sum, count) => sum + count, 0);
    if (all < MIN_NAMES) continue;
    const most = counts.indexOf(Math.max(...counts));
    const level = LEVELS.findIndex(([least]) => (counts[most] ?? 0) / all >= least);
    const found = READ[level]?.[most];
    if (found !== undefined) uses.set(word, [...(uses.get(word) ?? []), found]);
  }
  return { ...catalogue, uses };
}
