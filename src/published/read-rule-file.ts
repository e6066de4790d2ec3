import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { periodOf, parseSynonyms } from './compile-rules.js';
import { ruleWords } from '../engine/queries/synonyms.js';
import { RULE_LIMITS, type RuleFile, RuleFileSchema } from '../schemas/rules.js';
import { type FileFinding, type Finding, type Path, readCheckedYaml } from '../platform/checked-yaml.js';

/** The validator of rule files, compiled at its first use, because that takes long. */
let validator: ValidateFunction<RuleFile> | undefined;

/** Reads a file of merchandising rules. @returns the rules, or all errors in the order of their lines. */
export function readRuleFile(text: string): { file: RuleFile } | { errors: FileFinding[] } {
  validator ??= new Ajv2020({ allErrors: true, strict: false }).compile<RuleFile>(RuleFileSchema);
  const checks = { maxBytes: RULE_LIMITS.bytes, validate: validator, schemaErrorText, contentErrors };
  const read = readCheckedYaml(text, checks);
  return 'value' in read ? { file: read.value } : read;
}

function schemaErrorText({ keyword }: ErrorObject): string | null {
  if (keyword === 'dependentRequired') return 'pin, hide and boost need a query';
  if (keyword === 'maxProperties' || keyword === 'minProperties')
    return 'must name one of id, brand, category and source, or for a query exact or contains';
  return null;
}

/** Reports errors that the schema cannot describe. */
function contentErrors({ rules }: RuleFile): Finding[] {
  const errors: Finding[] = [];
  const names = new Set<string>();
  const synonyms = new Map<string, Set<string>>();
  rules.forEach((rule, at) => {
    const report = (place: Path, message: string) => errors.push({ path: ['rules', at, ...place], message });
    if (names.has(rule.name)) report(['name'], `another rule has the name "${rule.name}"`);
    names.add(rule.name);
    if ((rule.pin ?? rule.hide ?? rule.boost ?? rule.synonyms) === undefined)
      report([], 'the rule has no effect: it needs pin, hide, boost or synonyms');

    const { from, until } = periodOf(rule);
    for (const [name, time] of Object.entries({ from, until }))
      if (Number.isNaN(time)) report([name], 'must be a date, or a time such as 2026-11-27T08:00:00Z');
    if (until <= from) report(['until'], 'must be later than from');

    rule.query?.exact?.forEach((text, place) => {
      if (ruleWords(text).length === 0) report(['query', 'exact', place], 'must contain a letter or digit');
    });
    rule.query?.contains?.forEach((text, place) => {
      const words = ruleWords(text).length;
      if (words === 0 || words > RULE_LIMITS.words)
        report(['query', 'contains', place], `must have one to ${RULE_LIMITS.words} words`);
    });
    rule.synonyms?.forEach((line, place) => {
      const pairs = parseSynonyms(line);
      if (pairs === null)
        report(
          ['synonyms', place],
          `must have the form "a, b, c" or "a, b => c", with different texts of one to ${RULE_LIMITS.words} words, and at most ${RULE_LIMITS.synonymsPerWord + 1} on each side`,
        );
      for (const [text, other] of pairs ?? []) {
        const key = ruleWords(text).join(' ');
        const others = synonyms.get(key) ?? new Set();
        others.add(ruleWords(other).join(' '));
        synonyms.set(key, others);
        if (others.size === RULE_LIMITS.synonymsPerWord + 1)
          report(['synonyms', place], `"${text}" has more than ${RULE_LIMITS.synonymsPerWord} synonyms`);
      }
    });
  });
  return errors;
}
