import { EXIT } from './exit.js';
import type { Options } from './options.js';

/** What `--help` says of a command. */
export interface HelpText {
  /** As in `npm run NAME`. */
  name: string;
  /** What it does. */
  about: string;
  /** What else its user must know, such as the variables that it reads. */
  notes?: string;
  /** Headings of options that are told apart from the others, by their names. */
  sections?: Record<string, readonly string[]>;
  /** Exit codes that mean more here than they do everywhere. */
  exits?: Partial<Record<keyof typeof EXIT, string>>;
}

interface Part {
  about: string;
  operands?: { show: string };
  options: Options;
}

const WIDTH = 118;
/** What is longer has its line to itself. */
const MOST_LEFT = 36;
const EXITS = { done: 'done', failed: 'failed', misused: 'wrong use' };

/** The text of `--help`. */
export function helpOf(
  spec: HelpText & { operands?: { show: string }; options?: Options; commands?: Record<string, Part> },
): string {
  const { name, about, operands, options = {}, commands = {}, sections = {}, notes, exits } = spec;
  const all = Object.entries(commands);
  const shared = sharedOptions(all.map(([, part]) => part.options));
  const argument = all.length > 0 ? 'COMMAND' : operands?.show;
  const heads = all.map(([command, part]) => [command, part.operands?.show].filter(Boolean).join(' '));
  const width = widest(heads);
  const parts = all.map(([, part], i) => {
    const own = without(Object.keys(shared), part.options);
    return [columns([[heads[i] ?? '', part.about]], '  ', width), optionLines(own, '    ')]
      .filter(Boolean)
      .join('\n');
  });
  const paragraphs = [
    `npm run ${name}${argument === undefined ? '' : ` -- ${argument}`}`,
    about.trim(),
    parts.join('\n'),
    [optionLines(without(Object.values(sections).flat(), { ...options, ...shared }), '  '), '  --help']
      .filter(Boolean)
      .join('\n'),
    ...Object.entries(sections).map(
      ([heading, names]) => `${heading}\n${optionLines(only(names, options), '  ')}`,
    ),
    notes?.trimEnd() ?? '',
    wrapped(exitLine(exits), WIDTH).join('\n'),
  ];
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`;
}

/** Those that every subcommand has are told once. */
function sharedOptions(all: Options[]): Options {
  const [first = {}, ...others] = all;
  return Object.fromEntries(
    Object.entries(first).filter(([name]) => others.length > 0 && others.every((each) => name in each)),
  );
}

const only = (names: readonly string[], options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));

const without = (names: readonly string[], options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));

const optionLines = (options: Options, indent: string): string =>
  columns(
    Object.entries(options).map(([name, { placeholder, help }]) => [
      placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`,
      help,
    ]),
    indent,
  );

/** How wide a column is that has these, and what parts it from the next. */
const widest = (texts: readonly string[]): number =>
  Math.min(MOST_LEFT, Math.max(0, ...texts.map(({ length }) => length))) + 2;

/** Names on the left, what they are on the right, broken into lines between words. */
function columns(
  rows: [left: string, right: string][],
  indent: string,
  left = widest(rows.map(([name]) => name)),
): string {
  return rows
    .flatMap(([name, help]) => {
      const lines = wrapped(help, WIDTH - indent.length - left);
      const first = name.length < left ? `${name.padEnd(left)}${lines.shift() ?? ''}` : name;
      return [first, ...lines.map((line) => ' '.repeat(left) + line)].map((line) => indent + line);
    })
    .join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function exitLine(exits: HelpText['exits']): string {
  const meanings: Partial<Record<keyof typeof EXIT, string>> = { ...EXITS, ...exits };
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).filter((key) => meanings[key] !== undefined);
  return `Exit code: ${codes.map((key) => `${EXIT[key]} ${meanings[key]}`).join('; ')}.`;
}
