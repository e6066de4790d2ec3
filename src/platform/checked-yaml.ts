import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { distinctBy } from './distinct.js';

export interface FileFinding {
  line: number;
  /** The place in the document, such as `rules[2].pin[0].id`. */
  path: string;
  message: string;
}

/** A place in a document: the keys and positions from its root. */
export type Path = readonly (string | number)[];

export interface Finding {
  path: Path;
  message: string;
}

export interface FileChecks<T> {
  maxBytes: number;
  validate: ValidateFunction<T>;
  /** Describes an error of the schema in words for the author of the file; null: as the validator does. */
  schemaErrorText?: (error: ErrorObject) => string | null;
  contentErrors: (value: T) => readonly Finding[];
}

const MAX_ERRORS = 20;

/** Reads a YAML file of an operator, without what makes a small file stand for a large one. @returns its content, or all errors by line. */
export function readCheckedYaml<T>(
  text: string,
  { maxBytes, validate, schemaErrorText = () => null, contentErrors }: FileChecks<T>,
): { value: T } | { errors: FileFinding[] } {
  if (Buffer.byteLength(text) > maxBytes)
    return { errors: [{ line: 1, path: '', message: `the file is larger than ${maxBytes} bytes` }] };
  if (isNestedDeeply(text))
    return { errors: [{ line: 1, path: '', message: 'the file is nested too deeply' }] };
  const lines = new LineCounter();
  // Duplicate keys are found below, and errors do not quote the file, because both take minutes for thousands of them.
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
  const errorsOf = (found: readonly Finding[]) =>
    found
      .slice(0, MAX_ERRORS)
      .map(({ path, message }) => ({ line: lineOf(path), path: pathText(path), message }))
      .sort((a, b) => a.line - b.line);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (!validate(value)) {
    const found = (validate.errors ?? []).map((error) => schemaError(error, schemaErrorText));
    // Several keywords of the schema may report the same error.
    return { errors: distinctBy(errorsOf(found), ({ path, message }) => `${path}: ${message}`) };
  }
  const errors = errorsOf(contentErrors(value));
  return errors.length > 0 ? { errors } : { value };
}

const MAX_NESTING = 20;
const NESTED_BLOCKS = new RegExp(`^[ \\t]*(?:[-?:][ \\t]+){${MAX_NESTING}}`, 'm');

/** Whether brackets or indicators such as `- - -` are nested more deeply than in any valid file. The parser is recursive. */
function isNestedDeeply(text: string): boolean {
  let depth = 0;
  for (const [letter] of text.matchAll(/[[\]{}]/g)) {
    depth = letter === '[' || letter === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_NESTING) return true;
  }
  return NESTED_BLOCKS.test(text);
}

function forbiddenNodes(contents: Node | null, lineOf: (node: unknown) => number): FileFinding[] {
  const errors: FileFinding[] = [];
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

function schemaError(error: ErrorObject, schemaErrorText: (error: ErrorObject) => string | null): Finding {
  const { instancePath, keyword, params, message = '' } = error;
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
  const { additionalProperty: extra } = params as { additionalProperty?: string };
  if (extra !== undefined) return { path: [...path, extra], message: 'there is no such key' };
  const described =
    schemaErrorText(error) ??
    (keyword === 'type' ? message.replace('must be', 'must be of the type') : message);
  return { path, message: described };
}
