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
  /** Exit codes that mean more here than they do everywhere. */
  exits?: Partial<Record<keyof typeof EXIT, string>>;
}

interface Part {
  about: string;
  operands?: { show: string };
  options: Options;
}

const WIDTH = 118;
const EXITS = { done: 'done', failed: 'failed', misused: 'wrong use' };

/** The text of `--help`. */
export function helpOf(
  spec: HelpText & { operands?: { show: string }; options?: Options; commands?: Record<string, Part> },
): string {
  const { name, about, operands, options, commands = {}, notes, exits } = spec;
  const all = Object.entries(commands);
  const shared = sharedOptions(all.map(([, part]) => part.options));
  const argument = all.length > 0 ? 'COMMAND' : operands?.show;
  const parts = all.map(([command, part]) => {
    const own = Object.fromEntries(Object.entries(part.options).filter(([key]) => !(key in shared)));
    const head = part.operands === undefined ? command : `${command} ${part.operands.show}`;
    return [columns([[head, part.about]], '  '), optionLines(own, '      ')].filter(Boolean).join('\n');
  });
  const paragraphs = [
    `npm run ${name}${argument === undefined ? '' : ` -- ${argument}`}`,
    about.trim(),
    parts.join('\n'),
    [optionLines({ ...options, ...shared }, '  '), '  --help'].filter(Boolean).join('\n'),
    notes?.trim() ?? '',
    exitLine(exits),
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

const optionLines = (options: Options, indent: string): string =>
  columns(
    Object.entries(options).map(([name, { placeholder, help }]) => [
      placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`,
      help,
    ]),
    indent,
  );

/** Names on the left, what they are on the right, broken into lines between words. */
function columns(rows: [left: string, right: string][], indent: string): string {
  const left = Math.min(32, Math.max(0, ...rows.map(([name]) => name.length))) + 2;
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
  return `Exit code: ${codes.map((key) => `${EXIT[key]} ${meanings[key]}`).join(', ')}.`;
}
