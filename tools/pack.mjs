// Completes `dist` after the TypeScript compiler: copies assets, and bundles the service.
import { chmodSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { revision } from './revision.mjs';

// The compiler emits only code. JSON, YAML and scripts that are read at run time are copied next to it.
const isAsset = (file) => statSync(file).isDirectory() || /\.(json|mjs|yaml)$/.test(file);
for (const folder of ['src', 'scripts']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: isAsset });
}
cpSync('mappings', 'dist/mappings', { recursive: true });
const shipped = JSON.parse(readFileSync('package.json', 'utf8'));
const built = { ...shipped, revision: revision('.', process.env.REVISION) };
writeFileSync('dist/package.json', `${JSON.stringify(built, null, 2)}\n`);
// The file that `bin` of package.json names must be executable, because it is run directly or by a link.
chmodSync('dist/scripts/catalogue.js', 0o755);

/**
 * Creates an esbuild plugin that loads a module of Node.js by `require`. `import` reads all exports of the
 * module, and Node.js loads some of them only when they are read: all of `fetch` and WebSocket, for
 * `node:http` since Node.js 22.
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

// The service is bundled into one file, with further files for the parts that are loaded on demand. Finding
// and reading 1,300 files took longer than the rest of the start. Names are not minified; with `node
// --enable-source-maps`, stack traces contain the original lines.
await build({
  entryPoints: [
    { in: 'dist/src/main.js', out: 'server.bundle' },
    // The worker must be beside the bundle, because in `src` it is beside the module that starts it.
    { in: 'dist/src/usecases/shared/matcher/matcher-worker.js', out: 'matcher-worker' },
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
  // These packages read files of their own, so they are not bundled. The listed parts of OpenTelemetry are
  // loaded only if tracing is on. Its API package is bundled, because the Elasticsearch client uses it as
  // well.
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

// The entry file of the service. V8's compiled code is cached next to the bundle, if Node.js supports this
// (22 and newer) and may write there. After the start, V8 lets the heap grow by only half before it collects
// garbage; by default it would grow several times over. During the start, this limit would add a fifth to
// the time of the start. V8 does not use cached code that was compiled with other flags, so the cache is
// written before the flag changes.
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
