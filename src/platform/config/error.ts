/** A variable with a wrong value; the message names the variable and says what is expected. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
