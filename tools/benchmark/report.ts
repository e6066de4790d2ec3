import { cpus, totalmem } from 'node:os';
import { changeOf, verdictOf } from './estimate.js';
import type { BenchFinding } from './context.js';

export interface Run {
  date: string;
  machine: string;
  node: string;
  elasticsearch: string;
  listings: number;
  findings: BenchFinding[];
}

export function machineName(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** Formats the figures as a Markdown table. With an earlier run, a column states how each figure changed. */
export function table(findings: readonly BenchFinding[], earlier: Run | null): string {
  const head = ['Workload', 'Metric', 'Result', 'Target', ...(earlier === null ? [] : ['Change']), 'Details'];
  const rows = findings.map((finding) => {
    const { target, work, figure, digits = 2, unit = '' } = finding;
    const format = (value: number) => `${value.toFixed(digits)}${unit}`;
    const interval = ({ low, high }: BenchFinding) =>
      Number.isFinite(low) && Number.isFinite(high) ? ` (${format(low)} to ${format(high)})` : '';
    const verdict = target === null ? null : verdictOf(finding, target);
    const mark = verdict === 'missed' ? '**' : '';
    const limit =
      target === null ? '' : 'least' in target ? `≥ ${format(target.least)}` : `≤ ${format(target.most)}`;
    const before = earlier?.findings.find((other) => other.work === work && other.figure === figure);
    const change = before === undefined ? '' : changed(finding, before);
    return [
      work,
      figure,
      `${mark}${format(finding.value)}${mark}${interval(finding)}`,
      verdict === null || verdict === 'reached' ? limit : `${limit} ${verdict}`,
      ...(earlier === null
        ? []
        : [before === undefined ? '' : `${change} ${format(before.value)}${interval(before)}`]),
      finding.details,
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function changed(finding: BenchFinding, before: BenchFinding): string {
  const { target, lessIsBetter = false, better = 'faster', worse = 'slower' } = finding;
  const isLess = target === null ? lessIsBetter : 'most' in target;
  const change = changeOf(finding, before, isLess ? 'less' : 'more');
  if (change === 'cannot tell') return 'cannot tell from';
  return `${change === 'better' ? better : worse} than`;
}
