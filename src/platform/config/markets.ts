import { shippedFiles } from '../shipped-files.js';
import { list, wrongValue } from './values.js';

/** The markets whose words ship with the service: `en`, `de`, and `others` for those without a file of their own. */
export const MARKETS: readonly string[] = shippedFiles('src/naming/markets')
  .map((file) => file.replace(/\.yaml$/, ''))
  .sort();

/** Reads `MARKETS=en,de`: the markets whose words are read, all by default; English always is. @throws ConfigError. */
export function markets(value: string | null): readonly string[] {
  const chosen = list(value ?? '');
  const unknown = chosen.find((one) => !MARKETS.includes(one));
  if (unknown !== undefined) throw wrongValue('MARKETS', `list some of ${MARKETS.join(', ')}`, unknown);
  return chosen.length === 0 ? MARKETS : ['en', ...chosen];
}

// Words are compiled when modules are loaded, so the variable is read here; the service reports an invalid value when it starts. The
// markets do not follow from the currencies of the catalogue, because each new one would change the analyzers and stored fields.
const chosen = list(process.env['MARKETS'] ?? '');

/** Whether this process reads the words of a market. A language that is no market belongs to `others`. */
export const readsMarket = (name: string): boolean =>
  chosen.length === 0 || name === 'en' || chosen.includes(MARKETS.includes(name) ? name : 'others');

/** The markets whose words this process reads. */
export const READ_MARKETS: readonly string[] = MARKETS.filter(readsMarket);

/** A number for the choice of markets; 0 if all are read. */
export const MARKETS_UNREAD = MARKETS.reduce((sum, name, at) => (readsMarket(name) ? sum : sum + 2 ** at), 0);
