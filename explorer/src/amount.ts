/** A price that somebody typed: decimal text, or in plain words why it is none. */
export type TypedAmount = { amount: string; problem: null } | { amount: null; problem: string };

/** The forms of a number with at most two decimals, and the separator of its thousands. */
const FORMS: [form: RegExp, thousands: RegExp][] = [
  [/^\d+([.,]\d{1,2})?$/, /(?!)/g],
  [/^\d{1,3}(,\d{3})+\.\d{1,2}$|^\d{1,3}(,\d{3}){2,}$/, /,/g],
  [/^\d{1,3}(\.\d{3})+,\d{1,2}$|^\d{1,3}(\.\d{3}){2,}$/, /\./g],
  [/^\d{1,3}([\s'’]\d{3})+([.,]\d{1,2})?$/, /[\s'’]/g],
];

/** Reads a price with a decimal point or comma. One separator before three digits may mean either, so such a price is refused. */
export function readAmount(typed: string): TypedAmount {
  const text = typed.trim();
  const fails = (problem: string): TypedAmount => ({ amount: null, problem });
  if (text === '') return fails('Write a price, such as 30.50.');
  if (/^[-−]/.test(text)) return fails('A price cannot be below zero.');
  if (/^\d{1,3}[.,]\d{3}$/.test(text))
    return fails(`“${text}” is not clear: write thousands without a separator, and at most two decimals.`);
  const form = FORMS.find(([one]) => one.test(text));
  if (form === undefined) return fails(`“${text}” is not a price. Write a number, such as 30.50.`);
  return { amount: text.replaceAll(form[1], '').replace(',', '.'), problem: null };
}
