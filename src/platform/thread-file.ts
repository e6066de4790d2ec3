import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** What a thread runs, and how Node is started for it. */
export interface ThreadFile {
  url: URL;
  execArgv?: string[];
}

/**
 * The file of a thread, beside the module that starts it. The built service is plain JavaScript. Sources need tsx, which
 * `--import tsx` registers in the main thread alone, so that each thread registers it by itself.
 * @param starter `import.meta.url` of the module that starts the thread.
 * @param name of the file, without its ending.
 */
export function threadFile(starter: string, name: string): ThreadFile {
  return starter.endsWith('.ts')
    ? { url: new URL(`${name}.ts`, starter), execArgv: ['--import', registerTypeScript()] }
    : { url: new URL(`${name}.js`, starter) };
}

/** A module that registers tsx in the thread that imports it. */
function registerTypeScript(): string {
  // Not `import.meta.resolve`: a test that tsx loads as CommonJS has none.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'));
  const { href } = new URL('dist/esm/api/index.mjs', tsx);
  const api = JSON.stringify(href);
  return `data:text/javascript,${encodeURIComponent(`import { register } from ${api}; register();`)}`;
}
