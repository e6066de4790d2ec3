import { readFileSync } from 'node:fs';
import { parse } from 'node:path';

/** The documents with the recipes of operators. */
export const RECIPE_DOCUMENTS = ['docs/operations.md', 'docs/runbooks.md'] as const;

/** A block of shell commands in a document. */
export interface Recipe {
  document: string;
  /** The heading above the block. */
  heading: string;
  /** The commands, without comments; a command that is continued on the next line is one line. */
  commands: string[];
  /** The first line below the block, which says which test executes it. */
  note: string;
}

/** Reads the shell blocks of a document. */
export function recipesOf(document: (typeof RECIPE_DOCUMENTS)[number]): Recipe[] {
  const recipes: Recipe[] = [];
  const content = readFileSync(document, 'utf8');
  const blocks = /^#+ (.+)$|^```sh\n([\s\S]*?)^```\n+(.*)$/gm;
  let heading = parse(document).name;
  for (const [, title, code, note = ''] of content.matchAll(blocks)) {
    if (title !== undefined) heading = title;
    else recipes.push({ document, heading, commands: commandsIn(code ?? ''), note });
  }
  return recipes;
}

const commandsIn = (code: string): string[] =>
  code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)#.*$/, ''))
    .filter((line) => line.trim() !== '');

/** The commands of the only block below a heading that has a command with this beginning. */
export function recipe(
  document: (typeof RECIPE_DOCUMENTS)[number],
  heading: string,
  beginning: string,
): string[] {
  const found = recipesOf(document).flatMap((one) => {
    const commands = one.commands.filter((command) => command.startsWith(beginning));
    return one.heading === heading && commands.length > 0 ? [commands] : [];
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0)
    throw new Error(`${document} has ${found.length} recipes with "${beginning}" below "${heading}"`);
  return only;
}

/** Splits a command at blanks outside of single quotes, as a shell does for the commands of recipes. */
export const wordsOf = (command: string): string[] =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));

/** The arguments after `npm run NAME --`. */
export const argumentsOf = (command: string): string[] => wordsOf(command.replace(/^npm run \S+( --)?/, ''));
