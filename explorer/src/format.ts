const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const SHORT_DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const COUNT = new Intl.NumberFormat('en');

export const count = (value: number): string => COUNT.format(value);
export const date = (at: string | number | Date): string => DATE.format(new Date(at));
export const dateTime = (at: string): string => DATE_TIME.format(new Date(at));
export const shortDate = (at: string | number | Date): string => SHORT_DATE.format(new Date(at));
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** `one`, or `many` with the number in front. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/**
 * A price as people read it. The decimal text of the API is kept, because a binary number could round it.
 * @param price decimal text, such as `1349.00`.
 */
export function money(price: string | null | undefined, currency: string | null | undefined): string {
  if (price === null || price === undefined) return 'No price';
  const [whole = '', cents = ''] = price.split('.');
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const fraction = /^0*$/.test(cents) && whole.length > 4 ? '' : `.${cents}`;
  return `${currency ? `${currency} ` : ''}${grouped}${cents === '' ? '' : fraction}`;
}

/** How long ago a time was, in the largest unit that fits. */
export function ago(at: string | null | undefined, now = Date.now()): string {
  if (!at) return 'never';
  const minutes = Math.max(0, Math.round((now - Date.parse(at)) / 60_000));
  if (minutes < 2) return 'just now';
  if (minutes < 90) return `${minutes} minutes ago`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} hours ago`;
  return `${Math.round(minutes / 1_440)} days ago`;
}

const SHOPS: Readonly<Record<string, string>> = {
  sg: 'SG',
  my: 'MY',
  id: 'ID',
  th: 'TH',
  ph: 'PH',
  vn: 'VN',
  us: 'US',
  uk: 'UK',
};

/** The name of a shop from its code: `Shopee SG` for `shopee_sg`. */
export const shopName = (code: string): string =>
  code
    .split('_')
    .map((part) => SHOPS[part] ?? part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ');

/** A code of the API as words: `out of stock` for `out_of_stock`. */
export const words = (code: string): string => code.replaceAll('_', ' ');
export const sentence = (code: string): string => code.charAt(0).toUpperCase() + words(code).slice(1);
