/**
 * node tools/explorer.mjs [FOLDER]: bundles the explorer (`explorer/`) into FOLDER, by default
 * `explorer/built`, where the service finds it when it runs from its sources.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILT = join(root, 'explorer', 'built');

/** What the bundle is made of, relative to the project. */
const SOURCES = [
  'explorer/src',
  'explorer/static',
  'clients/instantsearch/src',
  'package-lock.json',
  'tools/explorer.mjs',
];

/** Bundles the explorer. Files are replaced one by one, so that a running service always finds them. */
export async function buildExplorer(folder = BUILT) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [{ in: 'explorer/src/main.tsx', out: 'app' }],
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'eof',
    logLevel: 'warning',
  });
  mkdirSync(folder, { recursive: true });
  const files = outputFiles.map(({ path, contents }) => [path, contents]);
  for (const name of readdirSync(join(root, 'explorer/static'))) {
    files.push([join(folder, name), readFileSync(join(root, 'explorer/static', name))]);
  }
  for (const [path, contents] of files) {
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
}

/** Bundles the explorer if it has changed since it was last bundled. */
export async function ensureExplorer() {
  const built = changedAt(join(BUILT, 'app.js'));
  if (SOURCES.some((source) => changedAt(join(root, source)) > built)) await buildExplorer();
}

/** The time of the last change of a file, or of the newest file of a folder; 0 if there is none. */
function changedAt(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildExplorer(process.argv[2] === undefined ? BUILT : resolve(process.argv[2]));
}
