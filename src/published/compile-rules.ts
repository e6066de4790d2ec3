import type { CompiledRule, RuleSet, SynonymEntry } from '../engine/queries/rules.js';
import { ruleKey, ruleWords } from '../engine/queries/synonyms.js';
import { DAY_MS, parseInstant } from '../listing/instant.js';
import { type MerchandisingRule, RULE_LIMITS, type RuleFile } from '../schemas/rules.js';

export const NO_RULES: RuleSet = compileRules({ rules: [] }, null);

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

/**
 * Parses a line of synonyms: `a, b, c` for texts that all mean the same, or `a, b => c` if `a` and `b` also find `c`, but not the
 * reverse. @returns pairs of a text and another one for which it also stands; null if the line is invalid.
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
    to.flatMap((other): [string, string][] => (ruleKey(other) === ruleKey(text) ? [] : [[text, other]])),
  );
  return pairs.length === 0 ? null : pairs;
}

/** A number that changes whenever a rule begins or ceases to act. */
export const phaseOf = ({ boundaries }: RuleSet, now: Date): number =>
  boundaries.filter((time) => time <= now.getTime()).length;
