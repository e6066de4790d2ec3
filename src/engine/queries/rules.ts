import { DAY_MS, parseInstant } from '../../listing/instant.js';
import type { MerchandisingRule, RuleFile, RuleTarget } from '../../schemas/rules.js';
import type { QueryText } from './query-text.js';
import type { RuleBoost } from './rule-clauses.js';
import { parseSynonyms, readSynonyms, ruleKey, ruleWords, runsOf } from './synonyms.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * How many rules, pins, hidden entries and boosts act on one search at most. Further ones, in the order of the file, have no
 * effect, so that no file can make a search expensive.
 */
const MAX_ACTING = { rules: 20, pins: 20, hidden: 100, boosts: 5 };

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
  /** The text that is searched for in the place of words of the query text. */
  other: string;
  rule: CompiledRule;
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
  /** The synonyms of words of the query text outside of quotes. */
  synonyms: QueryText['synonyms'];
  /** The query text outside of quotes, with blanks in the place of words that have synonyms. */
  correctable: string;
}

export const NO_ACTING_RULES: ActingRules = {
  names: [],
  pins: [],
  hidden: [],
  boosts: [],
  synonyms: [],
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
      for (const text of query?.exact ?? []) add(exact, ruleKey(text), rule);
      for (const text of query?.contains ?? []) add(contained, ruleKey(text), rule);
      for (const [text, other] of lines.flatMap((line) => parseSynonyms(line) ?? [])) {
        const key = ruleKey(text);
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

  const { entries, ...synonyms } = readSynonyms(plain, runs, (key) =>
    (rules.synonyms.get(key) ?? []).filter(({ rule }) => isActive(rule)),
  );
  if (applied.length + entries.length === 0) return NO_ACTING_RULES;
  const named = new Set([...applied, ...entries.map(({ rule }) => rule)]);
  return {
    names: [...named].sort((a, b) => a.position - b.position).map(({ name }) => name),
    pins: byRelevance ? applied.flatMap(({ pins }) => pins).slice(0, MAX_ACTING.pins) : [],
    hidden: applied.flatMap(({ hidden }) => hidden).slice(0, MAX_ACTING.hidden),
    boosts: byRelevance ? applied.flatMap(({ boosts }) => boosts).slice(0, MAX_ACTING.boosts) : [],
    ...synonyms,
  };
}

/** Adds the synonyms that rules state to a query text. */
export const withSynonyms = (queryText: QueryText, { synonyms, correctable }: ActingRules): QueryText =>
  synonyms.length === 0 ? queryText : { ...queryText, synonyms, correctable };
