import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { projectRoot, temporaryFolder } from '../../scripts/shared/places.js';
import { FEATURES } from '../../src/matching/features.js';
import { instrument, type Rule } from './rules.js';

/** Folders and files of `src` whose rules decide which listings are one product. */
const INSTRUMENTED = [
  'matching',
  'naming/kinds.ts',
  'naming/target-words.ts',
  'text/tokenize.ts',
  'text/vocabulary.ts',
];
/** What fits models has no rules. */
const LEFT_OUT = /matching\/learning|model\.ts$/;

/** A copy of the source in which rules can be switched off by \`globalThis.rules\`. */
export interface Instrumented {
  rules: Rule[];
  /** Imports a module of the copy, such as `matching/match.ts`. */
  load: <Module>(module: string) => Promise<Module>;
  remove: () => void;
}

export function instrumentedCopy(): Instrumented {
  const folder = temporaryFolder('ablation');
  for (const part of ['src', 'mappings', 'package.json', 'tsconfig.json'])
    cpSync(path.join(projectRoot, part), path.join(folder, part), { recursive: true });
  symlinkSync(path.join(projectRoot, 'node_modules'), path.join(folder, 'node_modules'));
  const rules: Rule[] = [];
  for (const file of INSTRUMENTED.flatMap((one) => filesIn(path.join('src', one)))) {
    if (LEFT_OUT.test(file)) continue;
    const place = path.join(folder, file);
    writeFileSync(place, instrument(file, readFileSync(place, 'utf8'), new Set<string>(FEATURES), rules));
  }
  cpSync(path.join(import.meta.dirname, 'memoize.mjs'), path.join(folder, 'src/text/memoize.ts'));
  return {
    rules,
    load: (module) => import(path.join(folder, 'src', module)) as Promise<never>,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const filesIn = (place: string): string[] =>
  place.endsWith('.ts')
    ? [place]
    : readdirSync(path.join(projectRoot, place), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => path.join(place, file))
        .sort();
