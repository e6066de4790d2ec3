import { Help, type HelpConfiguration } from 'commander';

/** The maximum width of the lines of every help text, in characters. */
export const HELP_WIDTH = 100;

/** The maximum width of the column of options and commands. The description of a longer one begins on the next line. */
const MAX_TERM_WIDTH = 28;

const standard = new Help();

/** How Commander lays out the help texts of all commands. */
export const HELP: HelpConfiguration = {
  helpWidth: HELP_WIDTH,
  subcommandTerm: (sub) => `${sub.name()} ${sub.usage()}`.trimEnd(),
  padWidth: (command, helper) => Math.min(standard.padWidth(command, helper), MAX_TERM_WIDTH),
  formatItem(term, termWidth, description, helper) {
    const item = (ownTerm: string) =>
      Help.prototype.formatItem.call(this, ownTerm, termWidth, description, helper);
    return term.length <= termWidth ? item(term) : `  ${term}\n${item('')}`;
  },
};

/** Joins the lines of each paragraph of a help text. Indented lines remain as they are. */
const unwrapped = (text: string): string => text.trimEnd().replace(/(?<!\n)\n(?![\n ])/g, ' ');

/** Wraps the paragraphs of a help text. */
export const wrapped = (text: string): string => standard.boxWrap(unwrapped(text), HELP_WIDTH);
