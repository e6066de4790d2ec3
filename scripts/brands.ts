/** npm run brands: shows and edits the brand dictionary; see --help. */
import { MAX_WORDS } from '../src/matching/makers.js';
import {
  type BrandDictionary,
  type BrandSettings,
  changeSettings,
  keyOfMaker,
  readBrands,
} from '../src/published/brand-dictionary.js';
import { formatCount } from '../src/text/quantities.js';
import { describeInferred, inferAgain } from './jobs/brands.js';
import { commands, type Io, subcommand } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError } from './shared/exit.js';
import { flag, text } from './shared/options.js';
import { start } from './shared/start.js';
import { textTable } from './shared/terminal.js';

const MAX_NAME = 100;

export const main = commands({
  name: 'brands',
  about: `Shows and edits the brand dictionary, which infers the makers of listings whose feeds state no brand. npm run learn --
--brands learns it; entries that are added or removed here take precedence, also over what is learned later. A change is
applied to all listings at once. An entry that is added also stands for the brands that feeds state in these words. Search filters and facets by brand include inferred brands only after activate.`,
  notes: `${ENGINE_HELP}.`,
  commands: {
    list: subcommand({
      about:
        'list the entries: words of names and the maker that they identify; with TEXT, only entries that begin with it',
      operands: { show: '[TEXT]' },
      options: { json: flag('print JSON') },
      run: ({ options: { json }, operands: [beginning = ''] }, env, io) =>
        withEngine(env, async ({ es, indexPrefix }) => {
          const { makers, settings } = await readBrands(es, indexPrefix);
          const entries = [...makers]
            .filter(([words, { name }]) =>
              [words, keyOfMaker(name)].some((key) => key.startsWith(keyOfMaker(beginning))),
            )
            .sort(([, a], [, b]) => b.listings - a.listings)
            .map(([words, { name: maker, origin, confidence, listings }]) => ({
              words,
              maker,
              origin,
              confidence,
              listings,
            }));
          if (json) {
            io.out.write(`${JSON.stringify({ entries, removed: settings.removed }, null, 2)}\n`);
            return;
          }
          const rows = entries.map(({ words, maker, origin, confidence, listings }) => [
            words,
            maker,
            origin,
            confidence.toFixed(2),
            formatCount(listings),
          ]);
          io.out.write(
            `${textTable([['words', 'maker', 'origin', 'confidence', 'listings'], ...rows])}\n${settings.removed.map((key) => `removed: ${key}\n`).join('')}`,
          );
        }),
    }),
    add: subcommand({
      about:
        'add a maker; listings whose names begin with NAME, or with the words of --words, are of this maker',
      operands: { show: 'NAME', missing: 'add needs the name of a maker' },
      options: { words: text('WORDS', 'the words of names, such as the name of a product line') },
      run: ({ options: { words }, operands: [given = ''] }, env, io) => {
        const name = given.trim();
        const key = keyOf(words ?? name);
        if (key.split(' ').length > MAX_WORDS)
          throw new CommandError(
            `Names are searched for at most ${MAX_WORDS} words. Give fewer with --words.`,
          );
        return edit(env, io, {
          change: ({ added, removed }) => ({
            added: { ...added, [key]: name },
            removed: removed.filter((one) => one !== key),
          }),
          summaryOf: ({ makers }) => {
            const { name: known, origin } = makers.get(key) ?? {};
            const entry = `${quoted(key)} stands for the maker ${quoted(name)}`;
            if (known === undefined) return `added: ${entry}`;
            if (known === name && origin === 'added') return `no change: ${entry} already`;
            return `changed: ${entry}; it stood for ${quoted(known)} (${origin})`;
          },
        });
      },
    }),
    remove: subcommand({
      about: 'remove a maker, or the words of an entry, so that they are not inferred and not learned again',
      operands: { show: 'NAME', missing: 'remove needs the name of a maker, or the words of an entry' },
      options: {},
      run: ({ operands: [name = ''] }, env, io) => {
        const key = keyOf(name);
        return edit(env, io, {
          change: ({ added, removed }) => ({
            added: Object.fromEntries(
              Object.entries(added).filter(([words, name]) => words !== key && keyOfMaker(name) !== key),
            ),
            removed: [...new Set([...removed, key])],
          }),
          summaryOf: ({ makers }) => {
            const entries = [...makers].filter(([words, maker]) =>
              [words, keyOfMaker(maker.name)].includes(key),
            );
            return entries.length === 0
              ? `no entry has the words or the maker ${quoted(key)}; it will not be learned either`
              : `removed: ${entries.map(([words, maker]) => `${quoted(words)} (${maker.name})`).join(', ')}`;
          },
        });
      },
    }),
    activate: subcommand({
      about: 'let filters and facets by brand include inferred brands',
      options: {},
      run: (_given, env, io) => edit(env, io, inFilters(true)),
    }),
    deactivate: subcommand({
      about: 'let filters and facets by brand include only the brands that feeds state',
      options: {},
      run: (_given, env, io) => edit(env, io, inFilters(false)),
    }),
  },
});

const quoted = (text: string): string => JSON.stringify(text);

function keyOf(name: string): string {
  const key = keyOfMaker(name);
  if (key === '' || name.length > MAX_NAME)
    throw new CommandError(`A maker is named by words of at most ${MAX_NAME} characters in total.`);
  return key;
}

/** An edit of the brand dictionary: how it changes the settings, and the text that tells the user its effect. */
interface Edit {
  change: (settings: BrandSettings) => Partial<BrandSettings>;
  summaryOf: (dictionary: BrandDictionary) => string;
}

const inFilters = (in_filters: boolean): Edit => ({
  change: () => ({ in_filters }),
  summaryOf: ({ settings }) => {
    const already = settings.in_filters === in_filters ? ' already' : ' now';
    return `filters and facets by brand ${in_filters ? 'include' : 'exclude'} inferred brands${already}`;
  },
});

const edit = (env: NodeJS.ProcessEnv, io: Io, { change, summaryOf }: Edit): Promise<void> =>
  withEngine(env, async (engine) => {
    const { es, indexPrefix } = engine;
    await catalogueOf(engine);
    const before = await readBrands(es, indexPrefix);
    await changeSettings(es, indexPrefix, change);
    io.out.write(`brands: ${summaryOf(before)}\n`);
    io.out.write(`brands: ${describeInferred(await inferAgain(engine, io))}\n`);
  });

await start(import.meta.url, main);
