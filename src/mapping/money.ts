/** Marks that mean one currency alone; a bare `$` or `¥` is that of several countries. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ US$: 'USD', S$: 'SGD', A$: 'AUD', C$: 'CAD', HK$: 'HKD', NZ$: 'NZD', NT$: 'TWD' },
  ...{ R$: 'BRL', '€': 'EUR', '£': 'GBP', '₹': 'INR', '₩': 'KRW', '฿': 'THB', '₫': 'VND', '₱': 'PHP' },
  ...{ RM: 'MYR', RP: 'IDR', RS: 'INR', CN: 'CNY', 'CN¥': 'CNY', 'JP¥': 'JPY' },
};

const MARKED = /^([\p{L}\p{Sc}]{1,4}\.?)?\s*(\d[\d.,'’\s]*)([\p{L}\p{Sc}]{1,4})?$/u;

export interface Money {
  /** Decimal string. */
  amount: string;
  /** As the text names it: a code of three letters, or what a mark means; null: none, or a mark of several. */
  currency: string | null;
}

/**
 * Reads an amount as shops write it: `19.99 SGD`, `S$1,299.00`, `1 299,00 €`. Nothing is guessed: a grouping that is none
 * makes it unreadable.
 * @param decimal what parts the decimals.
 */
export function readMoney(text: string, decimal: '.' | ','): Money | null {
  const [, before, digits = '', after] = MARKED.exec(text.trim()) ?? [];
  if (before !== undefined && after !== undefined) return null;
  const amount = plainAmount(digits.trim(), decimal);
  if (amount === null) return null;
  const mark = (before ?? after)?.toUpperCase().replace('.', '');
  if (mark === undefined) return { amount, currency: null };
  const currency = MARKS[mark] ?? (/^[A-Z]{3}$/.test(mark) ? mark : null);
  return currency === null && /\p{L}{3}/u.test(mark) ? null : { amount, currency };
}

function plainAmount(digits: string, decimal: '.' | ','): string | null {
  const [whole = '', fraction, more] = digits.split(decimal);
  if (more !== undefined || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  const grouped = /^\d{1,3}(?:([.,'’\s])\d{3})(?:\1\d{3})*$/.test(whole) && !whole.includes(decimal);
  if (!grouped && !/^\d+$/.test(whole)) return null;
  const plain = whole.replace(/\D/g, '');
  return fraction === undefined ? plain : `${plain}.${fraction}`;
}
