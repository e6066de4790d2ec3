/** Units of account of ISO 4217, such as Chile's UF, which the JavaScript runtime does not list. */
const UNITS_OF_ACCOUNT = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW'];

const CURRENCIES = new Set([...Intl.supportedValuesOf('currency'), ...UNITS_OF_ACCOUNT]);

/** Whether a text is an ISO 4217 currency code in capital letters. */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code);
