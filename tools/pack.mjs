// What the compiler leaves to be done in `dist`.
import { chmodSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { revision } from './revision.mjs';

// It moves code alone; JSON and scripts that are read at run time go beside it.
const isAsset = (file) => statSync(file).isDirectory() || /\.(json|mjs|yaml)$/.test(file);
for (const folder of ['src', 'scripts']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: isAsset });
}
cpSync('mappings', 'dist/mappings', { recursive: true });
const shipped = JSON.parse(readFileSync('package.json', 'utf8'));
const built = { ...shipped, revision: revision('.', process.env.REVISION) };
writeFileSync('dist/package.json', `${JSON.stringify(built, null, 2)}\n`);
// `bin` of package.json, to be run as it is or by a link to it.
chmodSync('dist/scripts/catalogue.js', 0o755);

/**
 * Has a module of Node's taken by `require`. By `import`, all that it exports is looked at, and one that Node loads only
 * when it is looked at is loaded: the whole of `fetch` and WebSocket, of `node:http` since Node 22.
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

// The service as one file, and one for each part that is loaded when it is asked for: to find and read 1,300 took longer
// than all else that a start does. Names stay as they are; `node --enable-source-maps` tells the lines of a stack trace.
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
  // These read files of their own.
  // OpenTelemetry is loaded where it is asked for; but for its interface, which the engine's client has, too.
  external: [
    'piscina',
    'sharp',
    'swagger-ui-dist',
    ...['exporter-trace-otlp-http', 'resources', 'sdk-trace-base'].map((name) => `@opentelemetry/${name}`),
  ],
  plugins: [required('http')],
  // Packages in the older format ask for Node's modules by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
});

// Its entry. V8's code is kept beside the bundle from start to start, where Node can (22 and newer) and may write there.
// Once the service has started, the heap grows by half before its garbage is collected, where V8 would let it grow several
// times over; before, that would be a fifth of a start. V8 takes no code that was made under other flags: so what the
// start has compiled is kept before they change.
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
