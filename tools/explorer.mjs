/** node tools/explorer.mjs [FOLDER]: bundles the explorer and the page of prices for conversations, by default to explorer/built. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILT = join(root, 'explorer', 'built');

/** What the bundle is made of, relative to the project. */
const SOURCES = [
  'explorer/src',
  'explorer/static',
  'clients/instantsearch/src',
  'src/http/site-header.ts',
  'package-lock.json',
  'tools/explorer.mjs',
];

const entry = (source, out) => ({ in: `explorer/src/${source}`, out });

/** Bundles the explorer. Files are replaced one by one, so that a running service always finds them. */
export async function buildExplorer(folder = BUILT) {
  const outputFiles = [
    ...(await bundle([entry('main.tsx', 'app'), entry('views/search-widgets.ts', 'search-widgets')], folder, {
      splitting: true,
      plugins: [ownFile],
    })),
    ...(await bundle([entry('search-client.ts', 'search-client'), entry('header.css', 'header')], folder)),
  ];
  mkdirSync(folder, { recursive: true });
  const files = outputFiles.map(({ path, contents }) => [path, contents]);
  for (const name of readdirSync(join(root, 'explorer/static'))) {
    const content = readFileSync(join(root, 'explorer/static', name));
    files.push([
      join(folder, name),
      name === 'index.html' ? withPreloads(String(content), outputFiles) : content,
    ]);
  }
  files.push([join(folder, 'prices.html'), await pageOfPrices()]);
  for (const [path, contents] of files) {
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
  const names = files.map(([path]) => basename(path));
  for (const name of readdirSync(folder)) if (!names.includes(name)) rmSync(join(folder, name));
}

/** Leaves the search client out of the explorer: it is a file of its own, which runs before the rest with all that it imports. */
const ownFile = {
  name: 'file of its own',
  setup: (build) =>
    build.onResolve({ filter: /\/search-client\.js$/ }, () => ({
      path: './search-client.js',
      external: true,
    })),
};

/** Lets the browser load the files that the first script imports at the same time as this script. */
function withPreloads(page, outputFiles) {
  const { text } = outputFiles.find(({ path }) => basename(path) === 'app.js');
  const links = [...text.matchAll(/(?:from|import)\s*"\.\/(chunk-\w+\.js)"/g)].map(
    ([, name]) => `    <link rel="modulepreload" href="/explore/${name}" />\n`,
  );
  return page.replace('  </head>', () => `${links.join('')}  </head>`);
}

/** Bundles entry points. @returns their scripts and styles. */
async function bundle(entryPoints, folder, options = {}) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    ...options,
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'safari16'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Only InstantSearch's own router parses addresses with it, and the explorer has a router of its own.
    alias: { qs: './explorer/src/no-query-strings.ts' },
    legalComments: 'eof',
    logLevel: 'warning',
  });
  return outputFiles;
}

/** The page of prices in a conversation, in one file. Its policy allows its own script and style by their hashes. */
async function pageOfPrices() {
  const files = await bundle([entry('conversation/prices.tsx', 'prices')], BUILT);
  const textOf = (extension) => files.find(({ path }) => path.endsWith(extension)).text.trim();
  const [script, style] = [textOf('.js'), textOf('.css')];
  const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${policy}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Prices</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="module">${script}</script>
</body>
</html>
`;
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
