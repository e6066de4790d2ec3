/** Units of account of ISO 4217, such as Chile's UF, which the JavaScript runtime does not list. */
const UNITS_OF_ACCOUNT = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW'];

const CURRENCIES = new Set([...Intl.supportedValuesOf('currency'), ...UNITS_OF_ACCOUNT]);

/** The number of decimals of the currencies whose minor unit is not a hundredth, by ISO 4217. */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ['CLF', 4],
  ['UYW', 4],
]);

/** The number of decimals that the minor unit of a currency has (ISO 4217); two if the currency is unknown. */
export const decimalsOf = (currency: string | null): number => DECIMALS.get(currency ?? '') ?? 2;

export const CURRENCY_CODES: readonly string[] = [...CURRENCIES];

/** Whether a text is an ISO 4217 currency code in capital letters. */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code);
