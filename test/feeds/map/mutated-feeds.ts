import { parse } from 'csv-parse/sync';
import type { PlatformFormat } from '../../../src/feeds/map/feed-map.js';
import type { Random } from './generated-feeds.js';

/** What happens to a feed of a shop between two loads. */
const MUTATIONS = ['rename', 'drop', 'reorder', 'swap', 'cut', 'encode'] as const;
type Mutation = (typeof MUTATIONS)[number];

/** Mutates the text of a feed in one or two ways. @returns its bytes, and what was done. */
export function mutated(
  { text, format }: { text: string; format: PlatformFormat },
  random: Random,
): { bytes: Buffer; done: string } {
  const below = (count: number) => Math.floor(random() * count);
  const draw = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const wanted = Array.from({ length: 1 + below(2) }, () => draw(MUTATIONS));
  // What is cut off can no longer be parsed, so that is done last.
  wanted.sort((a, b) => Number(a === 'cut') - Number(b === 'cut'));
  const done: string[] = [];
  let changed = text;
  for (const kind of wanted) {
    if (kind === 'encode') continue;
    if (kind === 'cut') {
      changed = changed.slice(0, Math.floor(changed.length * (0.4 + 0.6 * random())));
      done.push('cut');
      continue;
    }
    const shape = shapeOf(changed, format);
    const names = shape.names();
    if (names.length < 2) continue;
    const [name, other] = [draw(names), draw(names)];
    changed = shape[kind](name, kind === 'rename' ? misspelt(name, below) : other);
    done.push(`${kind} ${name}${kind === 'drop' || kind === 'rename' ? '' : `, ${other}`}`);
  }
  const encoding = wanted.includes('encode') ? draw(ENCODINGS) : null;
  if (encoding !== null) done.push(encoding.name);
  return { bytes: encoding === null ? Buffer.from(changed) : encoding.of(changed), done: done.join('; ') };
}

const ENCODINGS = [
  { name: 'latin1', of: (text: string) => Buffer.from(text, 'latin1') },
  { name: 'utf-16', of: (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le') },
  { name: 'utf-16 without a mark', of: (text: string) => Buffer.from(text, 'utf16le') },
  { name: 'utf-8 twice', of: (text: string) => Buffer.from(Buffer.from(text).toString('latin1')) },
];

function misspelt(name: string, below: (count: number) => number): string {
  const at = below(name.length);
  const forms = [
    `${name.slice(0, at)}z${name.slice(at + 1)}`,
    `x_${name}`,
    name.toUpperCase(),
    name.replaceAll(/[ _]/g, '-'),
  ];
  return forms[below(forms.length)] ?? name;
}

/** The ways of changing a column or a member in one form of text. */
interface Shape extends Record<Exclude<Mutation, 'cut' | 'encode'>, (name: string, other: string) => string> {
  names(): string[];
}

function shapeOf(text: string, format: PlatformFormat): Shape {
  const start = text.trimStart();
  if (/^[{[]/.test(start) || /^<(?:!doctype )?html/i.test(start)) return members(text);
  return start.startsWith('<') ? elements(text) : columns(text, format === 'amazon' ? 3 : 1);
}

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const distinct = (names: Iterable<string>): string[] => [...new Set(names)];

function members(text: string): Shape {
  const key = (name: string) => new RegExp(`"${escaped(name)}"(\\s*:)`, 'g');
  const rename = (name: string, other: string) =>
    text.replaceAll(key(name), (_, rest: string) => `"${other}"${rest}`);
  return {
    names: () => distinct([...text.matchAll(/"([\w@:. -]+)"\s*:/g)].map(([, name = '']) => name)),
    rename,
    drop: (name) => rename(name, 'dropped'),
    reorder: () => {
      try {
        return JSON.stringify(reversed(JSON.parse(text)));
      } catch {
        return text;
      }
    },
    swap: (name, other) =>
      text.replaceAll(/"([\w@:. -]+)"(\s*:)/g, (whole, found: string, rest: string) =>
        found === name ? `"${other}"${rest}` : found === other ? `"${name}"${rest}` : whole,
      ),
  };
}

/** A JSON value whose members are in the reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, reversed(one)] as const);
  return Object.fromEntries(entries.reverse());
}

function elements(text: string): Shape {
  const renamed = (names: Record<string, string>) =>
    text.replaceAll(
      /(<\/?)([\w:]+)(?=[\s/>])/g,
      (_, start: string, name: string) => `${start}${names[name] ?? name}`,
    );
  const swap = (name: string, other: string) => renamed({ [name]: other, [other]: name });
  return {
    names: () => distinct([...text.matchAll(/<([\w:]+)[\s/>]/g)].map(([, name = '']) => name)).slice(1),
    rename: (name, other) => renamed({ [name]: other.replaceAll(' ', '_') }),
    drop: (name) =>
      text.replaceAll(
        new RegExp(`<${escaped(name)}(?:\\s[^>]*)?(?:/>|>[\\s\\S]*?</${escaped(name)}>)`, 'g'),
        '',
      ),
    reorder: swap,
    swap,
  };
}

function columns(text: string, headers: number): Shape {
  const counts = ['\t', ';', '|', ','].map((mark) => ({ mark, count: text.split(mark).length }));
  const { mark } = counts.reduce((most, one) => (one.count > most.count ? one : most));
  const rows = rowsOf(text, mark);
  const names = rows[headers - 1] ?? [];
  const at = (name: string) => names.indexOf(name);
  const written = (changed: readonly (readonly string[])[]) =>
    changed.map((cells) => `${cells.map((cell) => quoted(cell, mark)).join(mark)}\n`).join('');
  const inHeader = (change: (cell: string) => string) =>
    written(rows.map((row, nth) => (nth < headers ? row.map(change) : row)));
  return {
    names: () => distinct(names.filter((name) => name !== '')),
    rename: (name, other) => inHeader((cell) => (cell === name ? other : cell)),
    drop: (name) => written(rows.map((row) => row.toSpliced(at(name), 1))),
    reorder: (name, other) =>
      written(
        rows.map((row) =>
          row.toSpliced(at(name), 1).toSpliced(at(other), 0, ...row.slice(at(name)).slice(0, 1)),
        ),
      ),
    swap: (name, other) => inHeader((cell) => (cell === name ? other : cell === other ? name : cell)),
  };
}

function rowsOf(text: string, delimiter: string): string[][] {
  const options = { delimiter, relax_quotes: true, relax_column_count: true };
  try {
    return parse(text, options);
  } catch {
    // In some tables, a quotation mark is a character like any other.
    return parse(text, { ...options, quote: false });
  }
}

const quoted = (cell: string, mark: string): string =>
  cell.includes(mark) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
