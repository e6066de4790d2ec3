import { parse } from 'yaml';
import { readsMarket } from '../platform/config/markets.js';
import { ShippedFileError, shippedText } from '../platform/shipped-files.js';

interface WordFile {
  name: string;
  text: string;
}

/** What word files of one kind may contain. */
interface WordFileRules {
  isList: (name: string) => boolean;
  /** The names of the lists, for the message that refuses another one. */
  lists: string;
  phrase: RegExp;
  /** The maximum size of all files together, in bytes. */
  maxBytes: number;
}

/** A phrase of a list, with the phrase at the beginning of the same line. */
export interface ListedPhrase {
  list: string;
  phrase: string;
  first: string;
  /** The name of the file. */
  file: string;
}

/** The files of a folder of `src/naming` that are of the markets of this process. */
export const shippedWordFiles = (folder: string, names: readonly string[]): WordFile[] =>
  names.filter(readsMarket).map((one) => {
    const name = `src/naming/${folder}/${one}.yaml`;
    return { name, text: shippedText(name) };
  });

/** Reads YAML files with lists of phrases. @throws ShippedFileError for another list, other texts than words, or too much text. */
export function readWordFiles(
  files: readonly WordFile[],
  { isList, lists, phrase: allowed, maxBytes }: WordFileRules,
): ListedPhrase[] {
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > maxBytes)
    throw new ShippedFileError(`The word files have ${bytes} bytes; they may have ${maxBytes}.`);
  return files.flatMap(({ name, text }) => {
    const refuse = (what: string) => new ShippedFileError(`${name}: ${what}`);
    return Object.entries((parse(text) ?? {}) as Record<string, unknown>).flatMap(([list, lines]) => {
      if (!isList(list)) throw refuse(`${list} is not one of the lists ${lists}`);
      if (!Array.isArray(lines)) throw refuse(`${list} must be a list of words`);
      return (lines as unknown[]).flatMap((line) => {
        const phrases = String(line).split(', ');
        const [first = ''] = phrases;
        return phrases.map((phrase) => {
          if (typeof line !== 'string' || !allowed.test(phrase))
            throw refuse(`${list}: ${JSON.stringify(phrase)} is not a word or phrase`);
          return { list, phrase, first, file: name };
        });
      });
    });
  });
}
