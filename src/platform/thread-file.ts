import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

export interface ThreadFile {
  url: URL;
  execArgv?: string[];
}

/** The file of a worker thread in the folder of the module `starter`. Each thread with a TypeScript file must register tsx. */
export function threadFile(starter: string, name: string): ThreadFile {
  return starter.endsWith('.ts')
    ? { url: new URL(`${name}.ts`, starter), execArgv: ['--import', registerTypeScript()] }
    : { url: new URL(`${name}.js`, starter) };
}

/** The URL of a module that registers tsx in the thread that imports it. */
function registerTypeScript(): string {
  // `import.meta.resolve` does not exist in tests that tsx loads as CommonJS.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'));
  const { href } = new URL('dist/esm/api/index.mjs', tsx);
  const api = JSON.stringify(href);
  return `data:text/javascript,${encodeURIComponent(`import { register } from ${api}; register();`)}`;
}
