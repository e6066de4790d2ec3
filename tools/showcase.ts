import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import express, { type Router } from 'express';
import { projectRoot } from '../scripts/shared/places.js';
import { withSettings } from '../src/http/explorer.js';
import { siteHeader } from '../src/http/site-header.js';

const EXAMPLES = join(projectRoot, 'clients/instantsearch/examples');

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** Serves the showcase of the InstantSearch client at `/showcase`; `/showcase#KEY` uses another key. */
export async function showcase(settings: {
  publicUrl: string;
  key?: string | null;
  hasExplorer: boolean;
}): Promise<Router> {
  const { outputFiles } = await build({
    entryPoints: [join(EXAMPLES, 'showcase.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const header = siteHeader({ path: '/showcase', hasExplorer: settings.hasExplorer });
  const page = withSettings(readFileSync(join(EXAMPLES, 'showcase.html'), 'utf8'), settings)
    .replace(
      '<link rel="stylesheet"',
      () => '<link rel="stylesheet" href="/docs/header.css" />\n    <link rel="stylesheet"',
    )
    .replace('<body>', () => `<body>\n${header}`);
  const files: [path: string, type: string, content: string][] = [
    ['/showcase', 'html', page],
    ['/showcase.css', 'css', readFileSync(join(EXAMPLES, 'showcase.css'), 'utf8')],
    ['/showcase.js', 'js', outputFiles[0]?.text ?? ''],
  ];
  const router = express.Router();
  for (const [path, type, content] of files) {
    router.get(path, (_request, response) => {
      response.set('Content-Security-Policy', CONTENT_SECURITY_POLICY).type(type).send(content);
    });
  }
  return router;
}
