/** The words before and after an amount by which shops state a "from" price, the lowest price of several variants. */
const BEFORE = [
  'from|starting (?:at|from)|starts (?:at|from)|as low as|ab|schon ab|bereits ab|preis ab|[aà] partir d[eu]|d[eè]s|desde|[Dd]a',
  'a partire da|vanaf|od|ju[zż] od|fra|från|от|від|από|mulai(?: dari)?|bermula(?: dari)?|dari|từ|chỉ từ|เริ่มต้น(?:ที่)?',
];
const AFTER = ['起|起价|からの?|부터|alkaen|onwards|~|～|\\+'];

const WORDS_BEFORE = new RegExp(`^(?:${BEFORE.join('|')})[\\s:]+(?=\\D{0,6}\\d)`, 'iu');
const WORDS_AFTER = new RegExp(`(?<=\\d\\D{0,6})\\s*(?:${AFTER.join('|')})$`, 'iu');

/** An amount that is a "from" price. `amount` is a decimal string. */
export class FromPrice {
  constructor(readonly amount: string) {}
}

/** The text of an amount without the words that make it a "from" price; null if it has none: `19,99 €` of `ab 19,99 €`. */
export function withoutFrom(text: string): string | null {
  const trimmed = text.trim();
  const rest = trimmed.replace(WORDS_BEFORE, '').replace(WORDS_AFTER, '').trim();
  return rest === trimmed ? null : rest;
}
