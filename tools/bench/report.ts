import { cpus, totalmem } from 'node:os';
import type { Finding } from './scene.js';

/** All figures of one run, as written with --json. */
export interface Run {
  date: string;
  machine: string;
  node: string;
  elasticsearch: string;
  listings: number;
  findings: Finding[];
}

/** What was measured on: processor, how many, memory. */
export function machineName(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

export const isReached = ({ value, aim }: Finding): boolean =>
  'least' in aim ? value >= aim.least : value <= aim.most;

/** A Markdown table of the figures, each beside its aim and, with an earlier run, what it was then. */
export function table(findings: readonly Finding[], earlier: Run | null): string {
  const head = ['Work', 'Figure', 'Here', 'Aim', ...(earlier === null ? [] : ['Earlier']), 'Behind it'];
  const rows = findings.map((finding) => {
    const shown = (value: number) => `${value.toFixed(finding.digits)}${finding.unit}`;
    const { aim, work, figure } = finding;
    const before = earlier?.findings.find((other) => other.work === work && other.figure === figure);
    return [
      work,
      figure,
      `${isReached(finding) ? '' : '**'}${shown(finding.value)}${isReached(finding) ? '' : '**'}`,
      'least' in aim ? `≥ ${shown(aim.least)}` : `≤ ${shown(aim.most)}`,
      ...(earlier === null ? [] : [before === undefined ? '' : shown(before.value)]),
      finding.behind,
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
