import type { WordWeights } from './model.js';
import type { Profile } from './profile.js';

/** The words of two names as a learned model counts them: `=word` for a word of both, `-word` for a word of one of them. */
export function wordsOfPair(a: Profile, b: Profile): Set<string> {
  const marked = (one: Profile, other: Profile) =>
    one.words.map(({ text }) => (other.forms.has(text) ? '=' : '-') + text);
  return new Set([...marked(a, b), ...marked(b, a)]);
}

/** The logit that the learned weights of the words of two names result in; 0 if the model has none. */
export function wordLogit(a: Profile, b: Profile, words: WordWeights | undefined): number {
  if (words === undefined) return 0;
  let logit = words.base;
  for (const word of wordsOfPair(a, b)) logit += words.weights[word] ?? 0;
  return logit;
}
