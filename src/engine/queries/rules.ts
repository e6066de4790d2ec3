import type { MerchandisingRule, RuleTarget } from '../../schemas/rules.js';
import type { QueryText } from './query-text.js';
import type { RuleBoost } from './rule-clauses.js';
import { readSynonyms, ruleWords, runsOf } from './synonyms.js';
import { SEARCH_TUNING } from './tuning.js';

/**
 * How many rules, pins, hidden entries and boosts act on one search at most. Further ones, in the order of the file, have no
 * effect, so that no file can make a search expensive.
 */
const MAX_ACTING = { rules: 20, pins: 20, hidden: 100, boosts: 5 };

/** A merchandising rule of a published file, with its texts and times parsed. */
export interface CompiledRule extends Pick<MerchandisingRule, 'name'> {
  /** The position of the rule in its file. */
  position: number;
  /** The period in which the rule acts, in ms since 1970: the first millisecond, and the first one after it. */
  from: number;
  until: number;
  pins: readonly RuleTarget[];
  hidden: readonly RuleTarget[];
  boosts: readonly RuleBoost[];
}

/** A synonym that a rule defines for words of a query. */
export interface SynonymEntry {
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
