import { decimal } from '../../scripts/evaluation/report.js';
import { ROLES, type Span, wordLabels } from './marks.js';

/** A name with the marks of two people. */
export interface TwiceMarked {
  name: string;
  spans: readonly Span[];
  others: readonly Span[];
}

const role = (label: string): string => label.split('/')[0] ?? '';

/**
 * Returns rows with the share of words that two people marked equally: in role and scope, in role, and in role without the
 * words that both call noise. The share of a role is twice the words that both gave this role, divided by the words of either (F1).
 */
export function agreement(names: readonly TwiceMarked[]): string[][] {
  const words = names.flatMap(({ name, spans, others }) => {
    const second = wordLabels(name, others);
    return wordLabels(name, spans).map((labels, at) => [labels, second[at] ?? []] as const);
  });
  const roles = words.map(([one, other]) => [one.map(role).join(), other.map(role).join()] as const);
  const share = (name: string, agreed: number, all: number) => [
    ...[name, all === 0 ? '–' : decimal(agreed / all), String(all)],
  ];
  const same = ([one, other]: readonly [string, string]) => one === other;
  const spoken = roles.filter(([one, other]) => one !== 'noise' || other !== 'noise');
  return [
    ['', 'agreement', 'words'],
    share('role', roles.filter(same).length, roles.length),
    share('role, without noise', spoken.filter(same).length, spoken.length),
    share('role and scope', words.filter(([one, other]) => one.join() === other.join()).length, words.length),
    ...ROLES.map((name) => {
      const marked = roles.map((pair) => pair.filter((given) => given.split(',').includes(name)).length);
      const either = marked.reduce((sum, count) => sum + count, 0);
      return share(name, 2 * marked.filter((count) => count === 2).length, either);
    }),
  ];
}
