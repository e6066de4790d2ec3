import { DAY_MS, parseInstant } from '../../listing/instant.js';
import { type MerchandisingRule, RULE_LIMITS, type RuleFile, type RuleTarget } from '../../schemas/rules.js';
import { foldWithOffsets, foldWords } from '../../text/fold.js';
import { singular } from '../../text/singular.js';
import { splitByScript } from '../../text/tokenize.js';
import type { QueryText } from './query-text.js';
import type { RuleBoost } from './rule-clauses.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * How many rules, pins, hidden entries and boosts act on one search at most. Further ones, in the order of the file, have no
 * effect, so that no file can make a search expensive.
 */
const MAX_ACTING = { rules: 20, pins: 20, hidden: 100, boosts: 5 };

/**
 * The maximum number of texts that are searched for besides the query text, because synonyms lead to them, and of
 * words in all of them together: a search for a long text costs more, so fewer others are searched for with it.
 */
const MAX_ALTERNATIVES = { texts: 5, words: 40 };

interface CompiledRule extends Pick<MerchandisingRule, 'name'> {
  /** The position of the rule in its file. */
  position: number;
  /** The first millisecond since 1970 in which the rule acts, and the first in which it no longer does. */
  from: number;
  until: number;
  pins: readonly RuleTarget[];
  hidden: readonly RuleTarget[];
  boosts: readonly RuleBoost[];
}

interface SynonymEntry {
  rule: CompiledRule;
  other: string;
}

/** The merchandising rules of one version, arranged so that the rules of a query are found by its words. */
export interface RuleSet {
  /** The number of the version; null if no rules are published. */
  version: number | null;
  exact: ReadonlyMap<string, readonly CompiledRule[]>;
  contained: ReadonlyMap<string, readonly CompiledRule[]>;
  synonyms: ReadonlyMap<string, readonly SynonymEntry[]>;
  /** The times at which a rule begins or ceases to act, in ms since 1970, in ascending order. */
  boundaries: readonly number[];
}

export const NO_RULES: RuleSet = compileRules({ rules: [] }, null);

/** The merchandising rules that act on one search, and their effects. */
export interface ActingRules {
  names: readonly string[];
  pins: readonly RuleTarget[];
  hidden: readonly RuleTarget[];
  boosts: readonly RuleBoost[];
  /** The query text outside of quotes, with words replaced by their synonyms: one text for each combination. */
  alternatives: readonly string[];
  /** The query text outside of quotes, with blanks in the place of words that have synonyms. */
  correctable: string;
}

export const NO_ACTING_RULES: ActingRules = {
  names: [],
  pins: [],
  hidden: [],
  boosts: [],
  alternatives: [],
  correctable: '',
};

/** Whether the found listings differ from those that the words of the query determine. */
export const changesFoundListings = ({ pins, hidden }: ActingRules): boolean =>
  hidden.length > 0 || pins.some(({ id }) => id !== undefined);

/** The period in which a rule acts, in ms since 1970. A date without a time includes the whole day, in UTC. */
export function periodOf({ from, until }: Pick<MerchandisingRule, 'from' | 'until'>) {
  const isDay = until !== undefined && /^[^Tt]{10}$/.test(until);
  return {
    from: from === undefined ? -Infinity : (parseInstant(from) ?? NaN),
    until: until === undefined ? Infinity : (parseInstant(until) ?? NaN) + (isDay ? DAY_MS : 0),
  };
}

/**
 * Parses a line of synonyms: `a, b, c` for texts that all mean the same, or `a, b => c` if `a` and `b` also find
 * `c`, but not the reverse.
 * @returns pairs of a text and another one for which it also stands; null if the line is invalid.
 */
export function parseSynonyms(line: string): [text: string, other: string][] | null {
  const sides = line.split('=>').map((side) => side.split(',').map((text) => text.trim()));
  const texts = sides.flat();
  const isValid = texts.every((text) => {
    const { length } = ruleWords(text);
    return length > 0 && length <= RULE_LIMITS.words;
  });
  const isShort = sides.every(({ length }) => length <= RULE_LIMITS.synonymsPerWord + 1);
  if (!isValid || !isShort || sides.length > 2) return null;
  const [from = [], to = from] = sides;
  const pairs = from.flatMap((text) =>
    to.flatMap((other): [string, string][] => (keyOf(other) === keyOf(text) ? [] : [[text, other]])),
  );
  return pairs.length === 0 ? null : pairs;
}

/**
 * The words of a text as rules compare them: without regard to case, accents, punctuation and plural. Each
 * ideograph is a word.
 */
export const ruleWords = (text: string): string[] =>
  splitByScript(foldWords(text)).flatMap((run) => (run.isCjk ? [...run.text] : [singular(run.text)]));

const keyOf = (text: string): string => ruleWords(text).join(' ');

/** Arranges the rules of a valid file. @param version the number of the version that the file was published as. */
export function compileRules({ rules }: RuleFile, version: number | null): RuleSet {
  const exact = new Map<string, CompiledRule[]>();
  const contained = new Map<string, CompiledRule[]>();
  const synonyms = new Map<string, SynonymEntry[]>();
  const add = <T>(map: Map<string, T[]>, key: string, entry: T) => {
    const entries = map.get(key);
    if (entries === undefined) map.set(key, [entry]);
    else if (entries.at(-1) !== entry) entries.push(entry);
  };
  const boundaries = new Set<number>();
  rules.forEach(
    ({ name, query, pin = [], hide = [], boost = [], synonyms: lines = [], ...period }, position) => {
      const { from, until } = periodOf(period);
      for (const time of [from, until]) if (Number.isFinite(time)) boundaries.add(time);
      const rule = { name, position, from, until, pins: pin, hidden: hide, boosts: boost };
      for (const text of query?.exact ?? []) add(exact, keyOf(text), rule);
      for (const text of query?.contains ?? []) add(contained, keyOf(text), rule);
      for (const [text, other] of lines.flatMap((line) => parseSynonyms(line) ?? [])) {
        const key = keyOf(text);
        const isStated = synonyms
          .get(key)
          ?.some((entry) => entry.other === other && entry.rule.from <= from && entry.rule.until >= until);
        if (isStated !== true) add(synonyms, key, { rule, other });
      }
    },
  );
  return { version, exact, contained, synonyms, boundaries: [...boundaries].sort((a, b) => a - b) };
}

/** A number that changes whenever a rule begins or ceases to act. */
export const phaseOf = ({ boundaries }: RuleSet, now: Date): number =>
  boundaries.filter((time) => time <= now.getTime()).length;

/**
 * Determines which rules act on a search, and what they do.
 * @param plain the query text outside of quotes.
 * @param options.byRelevance whether the search is sorted by relevance. Pins and boosts act only then.
 */
export function actingRules(
  rules: RuleSet,
  plain: string,
  { now, byRelevance }: { now: Date; byRelevance: boolean },
): ActingRules {
  if (rules.exact.size + rules.contained.size + rules.synonyms.size === 0) return NO_ACTING_RULES;
  const time = now.getTime();
  const isActive = ({ from, until }: CompiledRule) => from <= time && time < until;
  const words = ruleWords(plain);
  const runs = runsOf(words.slice(0, SEARCH_TUNING.maxWords));

  const found = new Set(rules.exact.get(words.join(' ')));
  for (const run of runs)
    for (const key of run) for (const rule of rules.contained.get(key) ?? []) found.add(rule);
  const applied = [...found]
    .filter(
      (rule) =>
        isActive(rule) &&
        (rule.hidden.length > 0 || (byRelevance && rule.pins.length + rule.boosts.length > 0)),
    )
    .sort((a, b) => a.position - b.position)
    .slice(0, MAX_ACTING.rules);

  const slots = synonymSlots(runs, (key) =>
    (rules.synonyms.get(key) ?? []).filter(({ rule }) => isActive(rule)),
  );
  if (applied.length + slots.length === 0) return NO_ACTING_RULES;
  const named = new Set([...applied, ...slots.flatMap(({ entries }) => entries.map(({ rule }) => rule))]);
  const ranges = slots.length === 0 ? [] : wordRanges(plain);
  return {
    names: [...named].sort((a, b) => a.position - b.position).map(({ name }) => name),
    pins: byRelevance ? applied.flatMap(({ pins }) => pins).slice(0, MAX_ACTING.pins) : [],
    hidden: applied.flatMap(({ hidden }) => hidden).slice(0, MAX_ACTING.hidden),
    boosts: byRelevance ? applied.flatMap(({ boosts }) => boosts).slice(0, MAX_ACTING.boosts) : [],
    alternatives: alternativesOf(plain, slots, ranges),
    correctable: withoutSlots(plain, slots, ranges),
  };
}

/** Adds the texts to which synonyms lead to a query text. */
export const withAlternatives = (
  queryText: QueryText,
  { alternatives, correctable }: ActingRules,
): QueryText => (alternatives.length === 0 ? queryText : { ...queryText, alternatives, correctable });

/** The ranges of a query text that its words, as `ruleWords` returns them, stand for. */
function wordRanges(plain: string): TextRanges {
  const { text, from } = foldWithOffsets(plain);
  return splitByScript(text).flatMap((run) => {
    let at = run.at;
    return (run.isCjk ? [...run.text] : [run.text]).map((part): [number, number] => {
      const start = at;
      at += part.length;
      return [from[start]?.[0] ?? 0, from[at - 1]?.[1] ?? plain.length];
    });
  });
}

/** For each word, the texts of the adjacent words that begin with it and that a rule may name, the longest first. */
const runsOf = (words: readonly string[]): string[][] =>
  words.map((first, start) => {
    const keys = [first];
    for (const word of words.slice(start + 1, start + RULE_LIMITS.words)) keys.unshift(`${keys[0]} ${word}`);
    return keys;
  });

/** Adjacent words of a query text that have synonyms. */
interface SynonymSlot {
  start: number;
  length: number;
  entries: SynonymEntry[];
}

function synonymSlots(
  runs: readonly (readonly string[])[],
  entriesOf: (key: string) => SynonymEntry[],
): SynonymSlot[] {
  const slots: SynonymSlot[] = [];
  for (let start = 0; start < runs.length; start += 1) {
    const keys = runs[start] ?? [];
    for (const [shorter, key] of keys.entries()) {
      const entries = entriesOf(key);
      if (entries.length === 0) continue;
      const length = keys.length - shorter;
      slots.push({ start, length, entries });
      start += length - 1;
      break;
    }
  }
  return slots;
}

/** For each slot, the text that replaces its words; null if they stay. */
type Replacements = readonly (string | null)[];

/**
 * The texts with synonyms in the place of words: first those in which one word is replaced, then those in which
 * two are, and so on, up to a maximum number.
 */
function alternativesOf(plain: string, slots: readonly SynonymSlot[], ranges: TextRanges): string[] {
  if (slots.length === 0) return [];
  const maxTexts = Math.min(
    MAX_ALTERNATIVES.texts,
    Math.max(1, Math.floor(MAX_ALTERNATIVES.words / ranges.length)),
  );
  const most = Math.max(...slots.map(({ entries }) => entries.length));
  const queue: Replacements[] = [slots.map(() => null)];
  const texts = new Set<string>();
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const after = next.findLastIndex((other) => other !== null) + 1;
    for (let nth = 0; nth < most; nth += 1)
      for (let slot = after; slot < slots.length; slot += 1) {
        const entry = slots[slot]?.entries[nth];
        if (entry === undefined) continue;
        const replacements = next.with(slot, entry.other);
        texts.add(replaceSlots(plain, replacements, slots, ranges));
        if (texts.size === maxTexts) return [...texts];
        queue.push(replacements);
      }
  }
  return [...texts];
}

function replaceSlots(
  plain: string,
  replacements: Replacements,
  slots: readonly SynonymSlot[],
  ranges: TextRanges,
): string {
  let text = plain;
  // The last slot is replaced first, so that the ranges of the others stay valid.
  for (let slot = slots.length - 1; slot >= 0; slot -= 1) {
    const other = replacements[slot] ?? null;
    const [from, to] = rangeOf(slots[slot], ranges);
    if (other !== null) text = `${text.slice(0, from)} ${other} ${text.slice(to)}`;
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}

type TextRanges = readonly (readonly [from: number, to: number])[];

/** The range of the query text that the words of a slot take. */
function rangeOf(slot: SynonymSlot | undefined, ranges: TextRanges): [from: number, to: number] {
  const { start = 0, length = 0 } = slot ?? {};
  const [from = 0] = ranges[start] ?? [];
  const [, to = from] = ranges[start + length - 1] ?? [];
  return [from, to];
}

/** Replaces the words that have synonyms by blanks, so that positions in the text stay the same. */
function withoutSlots(plain: string, slots: readonly SynonymSlot[], ranges: TextRanges): string {
  let text = plain;
  for (const slot of slots) {
    const [from, to] = rangeOf(slot, ranges);
    text = text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
  }
  return text;
}
