import { productsAlias } from '../../src/engine/indices.js';
import type { Io } from './command.js';
import { type CommandEngine, connectEngine, explainEngine, reachEngine } from './engine.js';
import { CommandError } from './exit.js';

/**
 * Runs work with an Elasticsearch client, and closes the client. Throws a CommandError that states what to
 * do if Elasticsearch cannot be used.
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

/** Runs work that follows a load. If it fails, a warning is printed and the load still succeeds. */
export async function afterLoad(
  env: NodeJS.ProcessEnv,
  { err, signal }: Io,
  work: (engine: CommandEngine) => Promise<void>,
  describeFailure: (reason: string) => string,
): Promise<void> {
  const engine = connectEngine(env);
  try {
    await work(engine);
  } catch (error) {
    if (!signal.aborted) err.write(`${describeFailure((error as Error).message)}\n`);
  } finally {
    await engine.es.close();
  }
}

/** Returns the alias of the product index. @throws CommandError if the alias does not exist. */
export async function catalogueOf({
  es,
  indexPrefix,
}: Pick<CommandEngine, 'es' | 'indexPrefix'>): Promise<string> {
  const products = productsAlias(indexPrefix);
  if (!(await es.indices.existsAlias({ name: products })))
    throw new CommandError(`There is no catalogue ${products}; load one first.`);
  return products;
}
