import { readFile, writeFile } from 'node:fs/promises';
import { CommandError } from '../../scripts/shared/exit.js';
import { fromCaller, textTable } from '../../scripts/shared/terminal.js';
import { type Figure, pairedChange } from './statistics.js';

/** The results of an evaluation: figures, tables and examples. */
export interface Findings {
  figures: Figure[];
  tables: Table[];
  /** Descriptions of the cases with the worst results in the evaluation, the worst first. */
  worst: string[];
}

export interface Report extends Findings {
  command: string;
  /** The time of the evaluation in ISO 8601 format, in UTC. */
  at: string;
}

export interface Table {
  title: string;
  header: string[];
  rows: (string | number)[][];
}

/** Formats a report beside the naive baseline and `earlier`; with single cases in both, also the interval of the change. */
export function formatReport(report: Report, earlier: Report | null): string {
  const before = new Map(earlier?.figures.map((figure) => [figure.name, figure]));
  const hasBaseline = report.figures.some(({ baseline }) => baseline !== undefined);
  const header = [
    ...['figure', 'value', '95 % interval', 'cases'],
    ...(hasBaseline ? ['naive', 'value minus naive'] : []),
    ...(earlier ? ['before', 'change'] : []),
  ];
  const rows = report.figures.map((figure) => {
    const { name, baseline, difference } = figure;
    const old = before.get(name);
    const comparison =
      baseline && difference ? [decimal(baseline.value), formatChange(difference)] : ['', ''];
    const change = old === undefined ? ['', ''] : [decimal(old.value), changeOf(figure, old)];
    return [
      ...[name, decimal(figure.value), intervalOf(figure), figure.cases],
      ...(hasBaseline ? comparison : []),
      ...(earlier ? change : []),
    ];
  });
  const parts = [formatTable({ title: report.command, header, rows })];
  for (const table of report.tables) parts.push(formatTable(table));
  if (report.worst.length > 0) parts.push(`Worst cases\n${report.worst.join('\n')}\n`);
  return parts.join('\n');
}

function formatTable({ title, header, rows }: Table): string {
  return `${title}\n${textTable([header, ...rows].map((row) => row.map(String)))}\n`;
}

export const decimal = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(3));
const signed = (value: number): string => `${value >= 0 ? '+' : ''}${value.toFixed(3)}`;

const intervalOf = ({ low, high }: Figure): string => `${decimal(low)} to ${decimal(high)}`;
export const formatChange = ({ value, low, high }: Figure): string =>
  `${signed(value)} (${signed(low)} to ${signed(high)})`;

function changeOf(figure: Figure, old: Figure): string {
  const paired = pairedChange(figure, old);
  return paired === null ? signed(figure.value - old.value) : formatChange(paired);
}

/** Reads a report from a file. @throws CommandError if `--json` did not write the file. */
export async function readReport(file: string): Promise<Report> {
  const text = await readFile(fromCaller(file), 'utf8').catch(() => {
    throw new CommandError(`cannot read ${file}; --compare wants a file that an earlier --json wrote`);
  });
  const report = parseReport(text);
  if (report === null)
    throw new CommandError(`${file} is not a report; --compare needs a file that --json wrote`);
  return report;
}

function parseReport(text: string): Report | null {
  try {
    const report = JSON.parse(text) as Partial<Report> | null;
    return typeof report?.command === 'string' && Array.isArray(report.figures) ? (report as Report) : null;
  } catch {
    return null;
  }
}

/** Writes a report to a file. @throws CommandError if the file cannot be written. */
export async function writeReport(file: string, report: Report): Promise<void> {
  await writeFile(fromCaller(file), `${JSON.stringify(report, null, 2)}\n`).catch((error: unknown) => {
    throw new CommandError(`cannot write ${file}: ${(error as Error).message}`);
  });
}
