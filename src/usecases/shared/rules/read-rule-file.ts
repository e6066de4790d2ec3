import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { parseSynonyms, periodOf, ruleWords } from '../../../engine/queries/rules.js';
import { RULE_LIMITS, type RuleFile, RuleFileSchema } from '../../../schemas/rules.js';

/** An error in a file of merchandising rules. */
export interface RuleFileError {
  /** The line of the file, counted from 1. */
  line: number;
  /** The place in the document, such as `rules[2].pin[0].id`. */
  path: string;
  message: string;
}

/** The maximum number of errors that are reported for one file. */
const MAX_ERRORS = 20;

type Path = readonly (string | number)[];

/** The validator of rule files, compiled at its first use, because that takes long. */
let validator: ValidateFunction<RuleFile> | undefined;

/**
 * Reads a file of merchandising rules.
 * @returns the rules, or all errors in the order of their lines.
 */
export function readRuleFile(text: string): { file: RuleFile } | { errors: RuleFileError[] } {
  if (Buffer.byteLength(text) > RULE_LIMITS.bytes)
    return { errors: [{ line: 1, path: '', message: `the file is larger than ${RULE_LIMITS.bytes} bytes` }] };
  if (isNestedDeeply(text))
    return { errors: [{ line: 1, path: '', message: 'the file is nested too deeply' }] };
  const lines = new LineCounter();
  // Duplicate keys are found below, because the parser compares each key with every other one. Its errors do not
  // quote the file, because that takes minutes for thousands of them.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
  const at = (node: unknown) => (isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1);
  const broken = [...document.errors, ...document.warnings]
    .slice(0, MAX_ERRORS)
    .map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, path: '', message }));
  if (broken.length > 0) return { errors: broken };
  const forbidden = forbiddenNodes(document.contents, at);
  if (forbidden.length > 0) return { errors: forbidden.slice(0, MAX_ERRORS) };

  const lineOf = (path: Path): number => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = keyNode(document.contents, path.slice(0, length));
      if (node !== null) return at(node);
    }
    return 1;
  };
  const errorsOf = (found: readonly { path: Path; message: string }[]) =>
    found
      .slice(0, MAX_ERRORS)
      .map(({ path, message }) => ({ line: lineOf(path), path: pathText(path), message }))
      .sort((a, b) => a.line - b.line);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  validator ??= new Ajv2020({ allErrors: true, strict: false }).compile<RuleFile>(RuleFileSchema);
  if (!validator(value)) return { errors: errorsOf((validator.errors ?? []).map(schemaError)) };
  const errors = errorsOf(contentErrors(value));
  return errors.length > 0 ? { errors } : { file: value };
}

const MAX_NESTING = 20;
const NESTED_BLOCKS = new RegExp(`^[ \\t]*(?:[-?:][ \\t]+){${MAX_NESTING}}`, 'm');

/**
 * Whether brackets or indicators such as `- - -` are nested more deeply than in any valid file. The parser calls
 * itself for each level, so thousands of levels would end the process.
 */
function isNestedDeeply(text: string): boolean {
  let depth = 0;
  for (const [letter] of text.matchAll(/[[\]{}]/g)) {
    depth = letter === '[' || letter === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_NESTING) return true;
  }
  return NESTED_BLOCKS.test(text);
}

/** Reports duplicate keys and aliases, with which a small file can stand for a very large one. */
function forbiddenNodes(contents: Node | null, lineOf: (node: unknown) => number): RuleFileError[] {
  const errors: RuleFileError[] = [];
  visit(contents, {
    Alias: (_key, alias) =>
      void errors.push({ line: lineOf(alias), path: '', message: 'aliases (*) are not allowed' }),
    Map: (_key, map) => {
      const keys = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : null;
        if (name === null) errors.push({ line: lineOf(map), path: '', message: 'a key must be a word' });
        else if (keys.has(name))
          errors.push({ line: lineOf(key), path: '', message: `the key "${name}" is there twice` });
        else keys.add(name);
      }
    },
  });
  return errors;
}

/** The node at a path. For a member of a mapping it is the key, because its value may begin on the next line. */
function keyNode(contents: Node | null, path: Path): Node | null {
  let found: unknown = contents;
  let node: unknown = contents;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return null;
      found = pair.key;
      node = pair.value;
    } else if (typeof step === 'number' && isNode(node) && 'items' in node) {
      node = node.items[step];
      found = node;
    } else return null;
  }
  return isNode(found) ? found : null;
}

const pathText = (path: Path): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');

function schemaError({ instancePath, keyword, params, message = '' }: ErrorObject): {
  path: Path;
  message: string;
} {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
  const { additionalProperty: extra } = params as { additionalProperty?: string };
  if (extra !== undefined) return { path: [...path, extra], message: 'there is no such key' };
  if (keyword === 'dependentRequired') return { path, message: 'pin, hide and boost need a query' };
  if (keyword === 'maxProperties' || keyword === 'minProperties')
    return {
      path,
      message: 'must name one of id, brand, category and source, or for a query exact or contains',
    };
  return { path, message: keyword === 'type' ? message.replace('must be', 'must be of the type') : message };
}

/** Reports errors that the schema cannot describe. */
function contentErrors({ rules }: RuleFile): { path: Path; message: string }[] {
  const errors: { path: Path; message: string }[] = [];
  const names = new Set<string>();
  const synonyms = new Map<string, Set<string>>();
  rules.forEach((rule, at) => {
    const report = (place: Path, message: string) => errors.push({ path: ['rules', at, ...place], message });
    if (names.has(rule.name)) report(['name'], `another rule has the name "${rule.name}"`);
    names.add(rule.name);
    if ((rule.pin ?? rule.hide ?? rule.boost ?? rule.synonyms) === undefined)
      report([], 'the rule has no effect: it needs pin, hide, boost or synonyms');

    const { from, until } = periodOf(rule);
    if (Number.isNaN(from)) report(['from'], 'must be a date, or a time such as 2026-11-27T08:00:00Z');
    if (Number.isNaN(until)) report(['until'], 'must be a date, or a time such as 2026-11-27T08:00:00Z');
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
