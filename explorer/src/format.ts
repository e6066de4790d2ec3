/** Formats times in English. The formatter is created when it is first needed, because creating it takes some milliseconds. */
function timeFormat(options: Intl.DateTimeFormatOptions): (at: string | number | Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat('en-GB', options)).format(new Date(at));
}

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
export const shortDate = timeFormat(DAY);
export const date = timeFormat({ ...DAY, year: 'numeric' });
export const dateTime = timeFormat({ ...DAY, year: 'numeric', hour: '2-digit', minute: '2-digit' });

/** Digits in groups of three: `12,345`. */
const grouped = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');

export const count = (value: number): string => grouped(String(value));
export const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** A reduction in whole percent, rounded down: the filter for 50 % does not find 49.9 %. The digits that a binary number adds do not count. */
export const reduction = (given: number): number => Math.floor(Number(given.toFixed(6)));

/** `one`, or `many` with the number in front. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A price as people read it. The decimal text of the API is kept, because a binary number could round it. */
export function money(price: string | null | undefined, currency: string | null | undefined): string {
  if (price === null || price === undefined) return 'No price';
  const [whole = '', cents = ''] = price.split('.');
  const fraction = /^0*$/.test(cents) && whole.length > 4 ? '' : `.${cents}`;
  return `${currency ? `${currency} ` : ''}${grouped(whole)}${cents === '' ? '' : fraction}`;
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

/** Whether a quality flag of a listing says that its price is doubtful. */
export const isOfPrice = (flag: string): boolean => flag.startsWith('price_');

/** What people read for an attribute of the API. */
export const labelOf = (attribute: string): string => {
  const labels: Record<string, string> = {
    'category_path.lvl0': 'Category',
    source: 'Shop',
    availability: 'Stock',
    excluded: 'Excluded words',
  };
  return labels[attribute] ?? sentence(attribute.replace(/^attr\./, ''));
};
