import type { Token } from '../text/tokenize.js';
import { isTier, MARKETING_WORDS, NAME_STOP_WORDS, TIER_WORDS } from '../text/vocabulary.js';

/** The maximum length of a number that tells models of a product line apart, such as `13` or `s23`. */
const MAX_LINE_NUMBER = 4;
/** Matches the name and number of a product line in one word, such as `iphone13`. */
const NUMBER_AT_END = /^\p{L}{5,}(\d{1,2})$/u;
/** Matches `4k`, `5g` and `720p`, which look like model numbers and are not. */
const NOT_A_MODEL_NUMBER = /^\d{1,2}\p{L}$|^\d{3,4}[ip]$/u;
/** Matches properties of a screen or network, such as `4k` and `5g`. Other such codes name a model of a line, such as `77d`. */
export const NOT_A_LINE_NUMBER = /^\d{1,2}[kgxp]$/u;

/** Reads the versions, years and generations in a name, with the words around them. */
export function readNumberContext(tokens: readonly Token[]) {
  /** The words right after each number: `slice` for `4` in "4-slice toaster". */
  const counted = new Map<string, Set<string>>();
  /** The numbers and short codes right after each word: `13` for `iphone`, `77d` for `eos`. */
  const lines = new Map<string, Set<string>>();
  /** For each number or short code, the tier words right after it: `pro max` for `13`. */
  const tiers = new Map<string, string>();
  /** For each code of more than four characters, the tier words right after it. */
  const codeTiers = new Map<string, string>();
  tokens.forEach((token, index) => {
    const { text, kind } = token;
    if (kind === 'word') return;
    const [before, after] = [tokens[index - 1], tokens[index + 1]];
    const isShort = kind === 'number' || text.length <= MAX_LINE_NUMBER;
    if (isShort && !NOT_A_LINE_NUMBER.test(text) && isSignificantWord(before))
      lines.set(before.text, (lines.get(before.text) ?? new Set()).add(text));
    if (kind === 'number' && text.length <= 3 && isSignificantWord(after))
      counted.set(text, (counted.get(text) ?? new Set()).add(after.text));
    if (NOT_A_MODEL_NUMBER.test(text)) return;
    const tier = tiersAfter(tokens, index);
    // In "WCM 4203 Plus", the code is WCM4203 and its tier is "plus".
    if (kind === 'number' && before?.kind === 'word' && text.length > 2)
      codeTiers.set(before.text + text, tier);
    const isLong = text.length > MAX_LINE_NUMBER && !NUMBER_AT_END.test(text);
    (isLong ? codeTiers : tiers).set(NUMBER_AT_END.exec(text)?.[1] ?? text, tier);
  });
  return { counted, lines, tiers, codeTiers };
}

/** The tier words after a token, sorted: `max pro` in `13 pro max`. @param isTierWord tests a word and the next one. */
export function tiersAfter(
  tokens: readonly Token[],
  index: number,
  isTierWord: (word: string, next: string | undefined) => boolean = isTier,
): string {
  const row: string[] = [];
  for (let next = index + 1; next < tokens.length; next += 1) {
    const word = tokens[next]?.text ?? '';
    if (!isTierWord(word, tokens[next + 1]?.text)) break;
    row.push(word);
  }
  return row.sort().join(' ');
}

const isSignificantWord = (token: Token | undefined): token is Token =>
  token?.kind === 'word' &&
  token.text.length > 2 &&
  !MARKETING_WORDS.has(token.text) &&
  !NAME_STOP_WORDS.has(token.text);

/** Tier words that belong to the model number before them. "Mini" and "slim" may belong to the next word. */
const TIERS_OF_MODELS = new Set(['pro', 'plus', 'max', 'lite', 'ultra']);
const MIN_MODEL_LENGTH = 4;

/** Model numbers, each with the tier word that belongs to it, such as "pro", as the feed states it or as the name has it. */
export function modelTiersOf(
  statedModels: ReadonlySet<string>,
  codeTiers: ReadonlyMap<string, string>,
  words: readonly string[],
): [model: string, tier: string][] {
  const ofName = words.filter((text) => TIER_WORDS.has(text));
  return [
    ...ofName.flatMap((tier) =>
      [...statedModels].flatMap((model): [string, string][] =>
        model.endsWith(tier) ? [[model.slice(0, -tier.length), tier]] : [],
      ),
    ),
    ...[...codeTiers].filter(([, tier]) => TIERS_OF_MODELS.has(tier)),
  ].filter(([model]) => model.length >= MIN_MODEL_LENGTH);
}
