// Completes `dist` after the TypeScript compiler: copies assets, and bundles the service and the explorer.
import { chmodSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { buildExplorer } from './explorer.mjs';
import { revision } from './revision.mjs';

const isAsset = (file) => statSync(file).isDirectory() || /\.(json|mjs|yaml)$/.test(file);
for (const folder of ['src', 'scripts']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: isAsset });
}
await buildExplorer('dist/explorer/built');
cpSync('mappings', 'dist/mappings', { recursive: true });
const shipped = JSON.parse(readFileSync('package.json', 'utf8'));
const built = { ...shipped, revision: revision('.', process.env.REVISION) };
writeFileSync('dist/package.json', `${JSON.stringify(built, null, 2)}\n`);
// The file that `bin` of package.json names must be executable, because it is run directly or by a link.
chmodSync('dist/scripts/catalogue.js', 0o755);

/**
 * Loads a module of Node.js by `require`: `import` reads all exports, of `node:http` all of `fetch` and WebSocket since Node.js
 * 22.
 */
function required(name) {
  const namespace = `required-${name}`;
  return {
    name: namespace,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^(?:node:)?${name}$`) }, ({ kind }) =>
        kind === 'require-call' ? undefined : { path: name, namespace },
      );
      onLoad({ filter: /^/, namespace }, () => ({ contents: `module.exports = require('node:${name}');` }));
    },
  };
}

// Reading 1,300 files took longer than the rest of the start. Names are kept for stack traces (`--enable-source-maps`).
await build({
  entryPoints: [
    { in: 'dist/src/main.js', out: 'server.bundle' },
    // The worker must be beside the bundle, because in `src` it is beside the module that starts it.
    { in: 'dist/src/matcher/matcher-worker.js', out: 'matcher-worker' },
  ],
  outdir: 'dist/src',
  chunkNames: '[name]-[hash]',
  splitting: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifyWhitespace: true,
  sourcemap: true,
  // They read files of their own, or, of OpenTelemetry, are loaded only if tracing is on.
  external: [
    'piscina',
    'sharp',
    'swagger-ui-dist',
    ...['exporter-trace-otlp-http', 'resources', 'sdk-trace-base'].map((name) => `@opentelemetry/${name}`),
  ],
  plugins: [required('http')],
  // Packages in CommonJS format load modules of Node.js by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
});

// V8's compiled code is cached next to the bundle, if Node.js supports it (22 and newer) and may write there.
// After the start, the heap grows by half before garbage is collected; during the start, this limit would
// cost a fifth of its time. The cache is written first, because V8 ignores it after a change of flags.
writeFileSync(
  'dist/src/main.js',
  `import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

module.enableCompileCache?.(fileURLToPath(new URL('../.compiled', import.meta.url)));
const { started } = await import('./server.bundle.js');
await started;
module.flushCompileCache?.();
setFlagsFromString('--heap-growing-percent=50');
`,
);
