import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decimal } from '../evaluation/report.js';
import { CommandError } from '../../scripts/shared/exit.js';
import { type Role, ROLES, type Scope, SCOPES } from '../../src/schemas/roles.js';

/** The sets that names are drawn from, as in `SET.ndjson.gz`. */
export const SETS = [
  'icecat',
  'amazon_google',
  'bestbuy_phones',
  'pricerunner',
  'wdc_products_2022',
] as const;
const SEED = 'names-1';
const NAMES_PER_SET = 60;
/** One name in so many is kept for the test. */
const KEPT_EVERY = 2;
/** One name in so many is marked by a second reader; the number is odd, so that half of these names are kept ones. */
const SECOND_EVERY = 5;

export { ROLES, SCOPES };

/** Where a role begins and ends in the name, in UTF-16 code units; the end is exclusive. The scope is `item` by default. */
export type Span = [from: number, to: number, role: Role, scope?: Scope];

/** A line of a file of marks. It does not contain the name, because the licences of some sets do not allow that. */
export interface MarkedName {
  set: string;
  source: string;
  sku: string;
  /** The first 16 hexadecimal digits of the SHA-256 digest of the name in UTF-8. */
  sha256: string;
  /** Whether the name is kept for the test, so that nothing may be derived from it. */
  kept: boolean;
  spans: Span[];
}

export interface DrawnName extends Omit<MarkedName, 'spans'> {
  name: string;
  second: boolean;
}

export const nameKey = ({ set, source, sku }: Pick<MarkedName, 'set' | 'source' | 'sku'>): string =>
  [set, source, sku].join('/');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const readSet = <Listing>(folder: string, set: string): Listing[] =>
  gunzipSync(readFileSync(path.join(folder, `${set}.ndjson.gz`)))
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Listing);

/** Draws the names of all sets. The order of the records does not matter, and the same name is drawn once for each set. */
export function drawNames(folder: string): DrawnName[] {
  return SETS.flatMap((set) => {
    const records = readSet<Record<'source' | 'sku' | 'name', string>>(folder, set)
      .map((record) => ({ ...record, rank: sha256(`${SEED}\0${record.source}\0${record.sku}`) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1));
    const distinct = new Map<string, (typeof records)[number]>();
    for (const record of records) {
      const folded = record.name.toLowerCase().split(/\s+/).join(' ').trim();
      if (!distinct.has(folded)) distinct.set(folded, record);
    }
    return [...distinct.values()]
      .slice(0, NAMES_PER_SET)
      .map(({ source, sku, name }, index) => ({
        ...{ set, source, sku, sha256: sha256(name).slice(0, 16) },
        ...{ kept: index % KEPT_EVERY === 0, second: index % SECOND_EVERY === 0, name },
      }));
  });
}

/** Reads a file with a MarkedName on each line. @throws CommandError if a line is not JSON. */
export const readMarks = (file: string): MarkedName[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as MarkedName];
      } catch {
        throw new CommandError(`${file}:${index + 1} is not JSON`);
      }
    });

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns the errors in the spans of a name: they are in order, and each letter and digit is in exactly one. */
export function spanErrors(name: string, spans: readonly Span[]): string[] {
  const errors: string[] = [];
  let end = 0;
  const expectNoWord = (from: number, to: number) => {
    const [unmarked] = name.slice(from, to).match(WORD) ?? [];
    if (unmarked !== undefined) errors.push(`"${unmarked}" before character ${to} has no role`);
  };
  for (const [from, to, role, scope = 'item'] of spans) {
    if (!ROLES.includes(role)) errors.push(`${role} is not a role`);
    if (!SCOPES.includes(scope)) errors.push(`${scope} is not a scope`);
    if (!(from >= end && to > from && to <= name.length))
      errors.push(
        `the span from ${from} to ${to} is empty, outside of the name, or overlaps the one before it`,
      );
    expectNoWord(end, from);
    end = to;
  }
  expectNoWord(end, name.length);
  return errors;
}

/** Returns the roles of each word of a name as `role/scope`: one, or several if a span begins or ends inside the word. */
export function wordLabels(name: string, spans: readonly Span[]): string[][] {
  return [...name.matchAll(WORD)].map(({ index, 0: word }) => {
    const inside = spans.filter(([from, to]) => from < index + word.length && to > index);
    return inside.map(([, , role, scope = 'item']) => `${role}/${scope}`);
  });
}

export const roleOf = (label: string): string => label.split('/')[0] ?? '';

interface TwiceMarked {
  name: string;
  spans: readonly Span[];
  others: readonly Span[];
}

/** Rows with the share of words marked equally by two readers; of a role, among the words that either gave it to. */
export function agreement(names: readonly TwiceMarked[]): string[][] {
  const words = names.flatMap(({ name, spans, others }) => {
    const second = wordLabels(name, others);
    return wordLabels(name, spans).map((labels, at) => [labels, second[at] ?? []] as const);
  });
  const roles = words.map(([one, other]) => [one.map(roleOf).join(), other.map(roleOf).join()] as const);
  const share = (name: string, agreed = 0, all = 0) => [name, decimal(agreed / all), String(all)];
  const same = ([one, other]: readonly [string, string]) => one === other;
  const spoken = roles.filter(([one, other]) => one !== 'noise' || other !== 'noise');
  return [
    ['', 'agreement', 'words'],
    share('role', roles.filter(same).length, roles.length),
    share('role, without noise', spoken.filter(same).length, spoken.length),
    share('role and scope', words.filter(([one, other]) => one.join() === other.join()).length, words.length),
    ...ROLES.map((name) => {
      const marked = roles.map((pair) => pair.filter((given) => given.split(',').includes(name)).length);
      const [either, both] = [1, 2].map((least) => marked.filter((readers) => readers >= least).length);
      return share(name, both, either);
    }),
  ];
}
