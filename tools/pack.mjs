// What the compiler leaves to be done in `dist`.
import { cpSync, statSync } from 'node:fs';
import { build } from 'esbuild';

// It moves code alone; JSON and scripts that are read at run time go beside it.
const isAsset = (file) => statSync(file).isDirectory() || /\.(json|mjs)$/.test(file);
for (const folder of ['src', 'scripts']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: isAsset });
}
cpSync('mappings', 'dist/mappings', { recursive: true });
cpSync('package.json', 'dist/package.json');

// The service as one file: to find and read 1,300 took longer than all else that a start does. Names stay as they are;
// `node --enable-source-maps` tells the lines of a stack trace.
await build({
  entryPoints: ['dist/src/server.js'],
  outfile: 'dist/src/server.js',
  allowOverwrite: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifyWhitespace: true,
  sourcemap: true,
  // These read files of their own.
  external: ['sharp', 'swagger-ui-dist'],
  // Packages in the older format ask for Node's modules by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
});
