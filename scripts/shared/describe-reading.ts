import { evidenceNames } from '../../src/naming/evidence.js';
import { type Reading, shippedWeights } from '../../src/naming/read-name.js';
import { ROLES } from '../../src/schemas/roles.js';
import { evidenceRow } from '../../src/naming/weights.js';
import { textTable } from './terminal.js';

/** How many kinds of evidence are shown for a token, those with the largest weights for one role first. */
const SHOWN = 4;

/** Describes a reading of a name: a row for each token with what was proposed for it, and a row for each span. */
export function describeReading({ tokens, spans, proposals }: Reading): string {
  const spanOf = (token: number) => spans.find(({ tokens: [from, to] }) => from <= token && token < to);
  const rows = tokens.text.map((text, at) => [
    `${tokens.from[at]}–${tokens.to[at]}`,
    text,
    spanOf(at)?.role ?? '',
    spanOf(at)?.scope ?? '',
    proposed(proposals.of(at)).join(', '),
  ]);
  const read = spans.map(({ role, scope, normal }) => [role, scope, normal]);
  return `${textTable([['', 'token', 'role', 'scope', 'proposals'], ...rows])}\n\n${textTable([['role', 'scope', 'normal form'], ...read])}\n`;
}

/** The kinds of evidence with the role that each makes most likely, and its weight. */
function proposed(kinds: readonly number[]): string[] {
  const names = evidenceNames();
  const { evidence } = shippedWeights();
  return kinds
    .map((kind) => {
      const weights = [...evidence.subarray(evidenceRow(kind, 0), evidenceRow(kind, 0) + ROLES.length)];
      const most = Math.max(...weights, 0);
      return { kind, role: ROLES[weights.indexOf(most)] ?? '', weight: most };
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, SHOWN)
    .filter(({ weight }) => weight > 0)
    .map(({ kind, role, weight }) => `${names[kind]} → ${role} ${weight.toFixed(1)}`);
}
