import type { StoredListing } from '../listing/listing.js';
import { readDescription, type Described } from './described.js';
import { readAttributes, withStated, type Attribute } from './attributes.js';
import { type Chips, readChips } from './chips.js';
import { readMeasures, type Measures } from './measures.js';
import { readParts, type Parts } from './parts.js';
import { lazily } from './lazily.js';
import { remembered } from '../text/remembered.js';
import { fold, words, type Word } from '../text/words.js';
import {
  ACCESSORIES,
  COLOURS,
  EDITIONS,
  LANGUAGES,
  NOISE,
  PLATFORMS,
  STOP_WORDS,
  TIERS,
  VARIANTS,
  concepts,
  isTier,
} from '../text/vocabulary.js';

/** The parts of a listing that tell which product it is. */
export type Matchable = Pick<StoredListing, 'name' | 'brand'> &
  Partial<Pick<StoredListing, 'category' | 'description' | 'metadata'>> & {
    internal: Pick<StoredListing['internal'], 'gtins' | 'models'>;
    /** The price in one currency for all listings that are compared with each other; null: unknown. Ratios are all that is read. */
    comparablePrice: number | null;
  };

/** Words of a name from one place to another, written as one: `print shop` as `printshop`. */
export interface Join {
  text: string;
  start: number;
  end: number;
}

/** A listing read for matching: made once, compared with many. */
export interface Profile {
  words: readonly Word[];
  /** Neighbours of those written as one. */
  joins: readonly Join[];
  /** Every text that the name's words make: alone, joined with their neighbours, in pieces. */
  forms: ReadonlySet<string>;
  /** Model and part numbers: of the name, and those the feed states. */
  codes: ReadonlySet<string>;
  statedModels: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  /** The words right after each number: `slice` after `4`. */
  counted: ReadonlyMap<string, ReadonlySet<string>>;
  /** The numbers and short codes right after each word: `13` after `iphone`, `77d` after `eos`. */
  lines: ReadonlyMap<string, ReadonlySet<string>>;
  measures: Measures;
  gtins: ReadonlySet<string>;
  brand: readonly string[];
  /** Colour words of the name. */
  colours: ReadonlySet<string>;
  statedColours: ReadonlySet<string>;
  /** What the metadata state. */
  attributes: ReadonlyMap<string, Attribute>;
  editions: ReadonlySet<string>;
  platforms: ReadonlySet<string>;
  languages: ReadonlySet<string>;
  variants: ReadonlySet<string>;
  accessories: ReadonlySet<string>;
  /** The same, and those that are in the box. */
  allAccessories: ReadonlySet<string>;
  /** Whether the name says what the thing is for. */
  isFor: boolean;
  /** Every text that the words after "for" make: what the thing goes with. */
  target: ReadonlySet<string>;
  /** Tiers right after a number or code, as `13 pro`: part of the model's name. */
  tiers: ReadonlyMap<string, string>;
  /** The same after longer codes, which are part numbers of their own. */
  codeTiers: ReadonlyMap<string, string>;
  /** Model numbers with a tier, as the feed states them or the name says right after: `[sap8907, mini]`. */
  modelTiers: readonly (readonly [model: string, tier: string])[];
  /** Processors and graphics chips of the name. */
  chips: Chips;
  /** What it sells of a thing: a part alone, or more. */
  parts: Parts;
  /** Words of its category. */
  category: ReadonlySet<string>;
  /** Read when it is asked for: most listings are told apart by their names. */
  described: () => Described;
  price: number | null;
}

const MAX_NAME = 400;
const MAX_WORDS = 60;
const MAX_STATED_MODEL = 24;
/** How many neighbours are joined to find a code that another shop writes apart. */
const MAX_JOINED = 4;
/** A number that a line of devices counts by, such as `13` or `s23`; longer ones are part numbers. */
const LONGEST_LINE_NUMBER = 4;
/** Of a line's name and number in one, `iphone13`. */
const NUMBER_AT_END = /^\p{L}{5,}(\d{1,2})$/u;
/** Metadata that tell what a thing goes with. */
const COMPATIBLE = /^(?:compatible|fits_model|suitable_for|works_with)/;
/** `4k`, `5g`, `720p`. */
const NO_NUMBER = /^\d{1,2}\p{L}$|^\d{3,4}[ip]$/u;
/** What a screen or a network has, and no model: other letters after a number are one, as in `77d`. */
const NO_NUMBER_OF_LINE = /^\d{1,2}[kgxp]$/u;
const FOR = new Set(['for', 'fits', 'fit', 'compatible', 'untuk', 'serasi']);
const CHINESE_FOR = /适用于|適用於|适配|兼容|相容/u;
/** "For" and what follows, to the next mark. */
const FOR_PHRASE =
  /(?:\b(?:for|fits?|compatible(?: with)?|untuk|serasi(?: dengan)?)\b|适用于|適用於|适配|兼容|相容)((?:(?! - )[^,;:()[\]|])*)/gu;
/** Of memory, sockets and slots: what many things comply with, and no model of any. */
const STANDARD = /^(?:pc\d[el]?\d{4,5}|l?ddr\d[a-z]?(?:\d{3,4})?|(?:fc)?lga\d{3,4}|pcie\d*)$/;
/** A disc, and no colour. */
const BLU_RAY = /\bblu[\s-]?ray\b/g;
/** Packaging that sounds like an accessory. */
const PACKAGING = /\b(?:jewel|slim|dvd) case\b/g;
/** How long a thing runs, which is no battery for sale. */
const RUNNING_TIME =
  /\b\d+(?:\.\d+)?[\s-]?(?:h|hrs?|hours?|days?)(?: of)? (?:battery|charge)(?: life)?\b|\bbattery (?:life|backup)\b/g;
/** The part of a brush that is replaced. */
const SPARE_HEADS = /\b(?:tooth)?(?:brush|shaver|razor|mop|trimmer) heads?\b/g;
/** Of selling, and no number. */
const PER_CENT = /\b100\s?%/g;
/** What shops' screens are called, and no tier. */
const ULTRA_HD = /\b(?:ultra|full)[\s-]?(?:hd|high definition)\b/g;
/** Systems that software runs on, in a row. */
const SYSTEMS =
  /\b(win(?:dows)?|mac(?:intosh)?)(?:[\s/,&]+(?:95|98(?:se)?|me|2000|2003|xp|nt|vista|os|osx|x|(?:9|10)\.\w+|or (?:higher|later))(?![\w.])){2,}/g;
/** The plus sign of a model, as in `S24+`. */
const PLUS = /(?<=\p{L}\d{1,3})\+(?![\p{L}\d])/gu;

/** A name folded, and what reads as something else put plainly. */
export const foldName = (name: string): string =>
  fold(name.slice(0, MAX_NAME))
    .replace(PACKAGING, ' ')
    .replace(RUNNING_TIME, ' ')
    .replace(SPARE_HEADS, 'brushhead')
    .replace(PER_CENT, ' ')
    .replace(BLU_RAY, 'bluray')
    .replace(ULTRA_HD, 'uhd')
    .replace(PLUS, ' plus')
    .replace(SYSTEMS, '$1');

/** Reads a listing. Any text, any length: only the beginning of long ones is looked at. */
export function readProfile(listing: Matchable): Profile {
  const folded = foldName(listing.name);
  const own = readMeasures(folded);
  const attributes = readAttributes(listing.metadata);
  const measures = withStated(own, attributes);
  const tokens = words(measures.rest).slice(0, MAX_WORDS);
  const stated = new Set(
    listing.internal.models.filter((model) => model.length <= MAX_STATED_MODEL && /\d/.test(model)),
  );
  const raw = measures.rest.split(/[^\p{L}\p{N}]+/u);
  const brand = listing.brand === null ? [] : wordsOfField(listing.brand);
  const goesWith = [...attributes]
    .flatMap(([key, { text }]) => (COMPATIBLE.test(key) ? text : []))
    .join(', for ');
  const statedColours = concepts(
    COLOURS,
    [...attributes.values()].flatMap(({ isColour, words: said }) => (isColour ? said : [])),
  );
  const colours = concepts(
    COLOURS,
    raw.filter((text) => !brand.includes(text)),
  );
  const tiers = tiersOf(tokens);
  const all = [...tokens, ...measures.words.map((text): Word => ({ text, kind: 'word', pieces: [] }))];
  return {
    words: all,
    joins: joinsOf(all),
    forms: formsOf(tokens, measures.words),
    codes: new Set([
      ...tokens.filter(({ text, kind }) => kind === 'code' && !STANDARD.test(text)).map(({ text }) => text),
      ...shortModels(stated),
    ]),
    statedModels: stated,
    numbers: new Set(tokens.filter(({ kind }) => kind === 'number').map(({ text }) => text)),
    lines: linesOf(tokens),
    counted: countedOf(tokens),
    measures,
    gtins: new Set(listing.internal.gtins),
    brand,
    colours,
    statedColours,
    attributes,
    editions: concepts(EDITIONS, raw),
    platforms: concepts(PLATFORMS, raw),
    languages: concepts(LANGUAGES, raw),
    variants: concepts(VARIANTS, raw),
    accessories: concepts(ACCESSORIES, beforeWith(raw)),
    allAccessories: concepts(ACCESSORIES, raw),
    isFor: raw.some((text) => FOR.has(text)) || CHINESE_FOR.test(folded) || goesWith !== '',
    target: targetOf(goesWith === '' ? folded : `${folded}, for ${goesWith}`),
    ...tiers,
    modelTiers: modelTiersOf(stated, tiers.codeTiers, raw),
    chips: readChips(folded),
    parts: readParts(folded),
    category: new Set(wordsOfField(listing.category ?? '')),
    described: lazily(() => readDescription(listing.description ?? null)),
    price: listing.comparablePrice,
  };
}

const FIELDS = 2_048;

/** Of brands and categories. */
const wordsOfField = remembered(FIELDS, (text): readonly string[] =>
  words(fold(text)).map((word) => word.text),
);

const shortModels = (models: ReadonlySet<string>): string[] =>
  [...models].filter((model) => model.length >= 4);

function targetOf(folded: string): Set<string> {
  const phrases = [...folded.matchAll(FOR_PHRASE)].map(([, phrase = '']) => words(phrase));
  return new Set(phrases.flatMap((phrase) => [...formsOf(phrase, [])]));
}

/** The tier that follows each number or code, all tiers of a row as one: `13 pro max` is not `13 pro`. */
function tiersOf(tokens: readonly Word[]): Pick<Profile, 'tiers' | 'codeTiers'> {
  const tiers = new Map<string, string>();
  const codeTiers = new Map<string, string>();
  tokens.forEach(({ text, kind }, index) => {
    if (kind === 'word' || NO_NUMBER.test(text)) return;
    const row: string[] = [];
    for (let next = index + 1; next < tokens.length; next += 1) {
      const word = tokens[next]?.text ?? '';
      if (!isTier(word, tokens[next + 1]?.text)) break;
      row.push(word);
    }
    const tier = row.sort().join(' ');
    const before = tokens[index - 1];
    // "WCM 4203 Plus" is a WCM4203 Plus.
    if (kind === 'number' && before?.kind === 'word' && text.length > 2)
      codeTiers.set(before.text + text, tier);
    const isLong = text.length > LONGEST_LINE_NUMBER && !NUMBER_AT_END.test(text);
    (isLong ? codeTiers : tiers).set(NUMBER_AT_END.exec(text)?.[1] ?? text, tier);
  });
  return { tiers, codeTiers };
}

/** Tiers that follow a model number as a part of it; "Mini" or "Slim" may be of the next word. */
const TIERS_OF_MODELS = new Set(['pro', 'plus', 'max', 'lite', 'ultra']);
const MIN_MODEL = 4;

function modelTiersOf(
  stated: ReadonlySet<string>,
  codeTiers: ReadonlyMap<string, string>,
  raw: readonly string[],
): [string, string][] {
  const said = raw.filter((text) => TIERS.has(text));
  return [
    ...said.flatMap((tier) =>
      [...stated].flatMap((model): [string, string][] =>
        model.endsWith(tier) ? [[model.slice(0, -tier.length), tier]] : [],
      ),
    ),
    ...[...codeTiers].filter(([, tier]) => TIERS_OF_MODELS.has(tier)),
  ].filter(([model]) => model.length >= MIN_MODEL);
}

function linesOf(tokens: readonly Word[]): Map<string, Set<string>> {
  const lines = new Map<string, Set<string>>();
  tokens.forEach(({ text, kind }, index) => {
    const before = tokens[index - 1];
    const isShort = kind === 'number' || (kind === 'code' && text.length <= LONGEST_LINE_NUMBER);
    if (!isShort || NO_NUMBER_OF_LINE.test(text) || before?.kind !== 'word' || !isTelling(before.text))
      return;
    lines.set(before.text, (lines.get(before.text) ?? new Set()).add(text));
  });
  return lines;
}

function countedOf(tokens: readonly Word[]): Map<string, Set<string>> {
  const counted = new Map<string, Set<string>>();
  tokens.forEach(({ text, kind }, index) => {
    const after = tokens[index + 1];
    if (kind !== 'number' || text.length > 3 || after?.kind !== 'word' || !isTelling(after.text)) return;
    counted.set(text, (counted.get(text) ?? new Set()).add(after.text));
  });
  return counted;
}

const isTelling = (word: string): boolean => word.length > 2 && !NOISE.has(word) && !STOP_WORDS.has(word);

/** What comes after "with" is in the box, but not what is for sale. */
function beforeWith(texts: readonly string[]): readonly string[] {
  const end = texts.findIndex(
    (text, index) => index > 1 && (text === 'with' || text === 'w' || text === 'incl' || text === 'includes'),
  );
  return end < 0 ? texts : texts.slice(0, end);
}

/** The profile with some of its name's words alone; what else was read of the name stays. */
export const withWords = (profile: Profile, some: readonly Word[]): Profile => ({
  ...profile,
  words: some,
  joins: joinsOf(some),
});

/** Every join of two to four words. */
function joinsOf(all: readonly Word[]): Join[] {
  const joins: Join[] = [];
  for (let start = 0; start < all.length; start += 1) {
    let text = all[start]?.text ?? '';
    for (let end = start + 1; end < Math.min(all.length, start + MAX_JOINED); end += 1) {
      text += all[end]?.text ?? '';
      joins.push({ text, start, end });
    }
  }
  return joins;
}

function formsOf(tokens: readonly Word[], measureWords: readonly string[]): Set<string> {
  const forms = new Set(measureWords);
  tokens.forEach(({ text, kind, pieces }, index) => {
    forms.add(text);
    for (const piece of pieces) forms.add(piece);
    let joined = text;
    let digit = kind !== 'word';
    for (let next = index + 1; next < tokens.length && next < index + MAX_JOINED; next += 1) {
      const neighbour = tokens[next];
      if (neighbour === undefined) break;
      joined += neighbour.text;
      digit ||= neighbour.kind !== 'word';
      if (digit || next === index + 1) forms.add(joined);
    }
  });
  return forms;
}
