import { decimal } from '../evaluation/report.js';
import { roleOf, ROLES, type Span, wordLabels } from './marks.js';

/** A name with the marks of two readers. */
export interface TwiceMarked {
  name: string;
  spans: readonly Span[];
  others: readonly Span[];
}

/**
 * Returns rows with the share of words that two readers marked equally: in role and scope, in role, and in role without the
 * words that both call noise. The share of a role is of the words that either gave it to.
 */
export function agreement(names: readonly TwiceMarked[]): string[][] {
  const words = names.flatMap(({ name, spans, others }) => {
    const second = wordLabels(name, others);
    return wordLabels(name, spans).map((labels, at) => [labels, second[at] ?? []] as const);
  });
  const roles = words.map(([one, other]) => [one.map(roleOf).join(), other.map(roleOf).join()] as const);
  const share = (name: string, agreed = 0, all = 0) => [name, decimal(agreed / all), String(all)];
  const same = ([one, other]: readonly [string, string]) => one === other;
  const spoken = roles.filter(([one, other]) => one !== 'noise' || other !== 'noise');
  return [
    ['', 'agreement', 'words'],
    share('role', roles.filter(same).length, roles.length),
    share('role, without noise', spoken.filter(same).length, spoken.length),
    share('role and scope', words.filter(([one, other]) => one.join() === other.join()).length, words.length),
    ...ROLES.map((name) => {
      const marked = roles.map((pair) => pair.filter((given) => given.split(',').includes(name)).length);
      const [either, both] = [1, 2].map((least) => marked.filter((readers) => readers >= least).length);
      return share(name, both, either);
    }),
  ];
}
