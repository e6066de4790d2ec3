import { productsAlias } from '../../src/engine/indices.js';
import type { Io } from './command.js';
import { type CommandEngine, connectEngine, explainEngine, reachEngine } from './engine.js';
import { CommandError } from './exit.js';

/**
 * Does some work with the engine that the environment names.
 * @throws CommandError that says what to do where that cannot be used; what the work throws.
 */
export async function withEngine<Result>(
  env: NodeJS.ProcessEnv,
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  const engine = connectEngine(env);
  try {
    await reachEngine(engine);
    return await work(engine);
  } catch (error) {
    throw explainEngine(error, engine);
  } finally {
    await engine.es.close();
  }
}

/**
 * Does what follows a load. The load has landed: what fails here does not fail it.
 * @param said what it means for users that it failed for this reason, in a sentence.
 */
export async function afterLoad(
  env: NodeJS.ProcessEnv,
  { err, signal }: Io,
  work: (engine: CommandEngine) => Promise<void>,
  said: (reason: string) => string,
): Promise<void> {
  const engine = connectEngine(env);
  try {
    await work(engine);
  } catch (error) {
    if (!signal.aborted) err.write(`${said((error as Error).message)}\n`);
  } finally {
    await engine.es.close();
  }
}

/** The alias of the listings. @throws CommandError where there is none. */
export async function catalogueOf({
  es,
  indexPrefix,
}: Pick<CommandEngine, 'es' | 'indexPrefix'>): Promise<string> {
  const products = productsAlias(indexPrefix);
  if (!(await es.indices.existsAlias({ name: products })))
    throw new CommandError(`There is no catalogue ${products}; load one first.`);
  return products;
}
