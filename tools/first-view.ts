/** npm run first-view: measures how soon the explorer shows products after it is opened; see --help. */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { command } from '../scripts/shared/command.js';
import { preset, text, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { launchBrowser } from '../test/support/browser.js';
import { alternately } from './benchmark/comparison.js';

/** The moments of a load, in ms after the navigation began, and how long the browser waited for the first search. */
const MEASURES = [
  'first paint',
  'search sent',
  'search answered',
  'in the document',
  'painted',
  'filters shown',
  'search took',
] as const;
type PageLoad = Record<(typeof MEASURES)[number], number>;

/** A script that runs in the page before the scripts of the page. */
const WATCH = fileURLToPath(new URL('first-view/watch.mjs', import.meta.url));

const SETTLE_MS = 1_500;

async function open(browser: Browser, url: string): Promise<PageLoad> {
  // A new browser context has no files and compiled scripts from earlier loads in its caches.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.addInitScript({ path: WATCH });
    const page = await context.newPage();
    // Chromium loads parts of its own interface after it has opened a window.
    await setTimeout(SETTLE_MS);
    await page.goto(url);
    return (await page.evaluate('readLoad()')) as PageLoad;
  } finally {
    await context.close();
  }
}

export const main = command({
  name: 'first-view',
  about: `Opens the explorer of each URL in Chromium with an empty cache, and reports when the first product was in the document and
when it was painted: the median, minimum and maximum. The URLs take turns, so that other load on the machine affects all of them: npm run first-view -- http://localhost:3000 http://localhost:3001`,
  options: {
    loads: preset(wholeNumber('the number of times that each URL is opened', { min: 1, max: 1_000 }), 9),
    path: preset(text('PATH', 'the view, which must show products'), '/explore?q='),
  },
  operands: { show: 'URL...', missing: 'Name the URL of a running service whose explorer needs no key.' },
  async run({ options: { loads, path }, operands: urls }, _env, { out }) {
    const browser = await launchBrowser();
    try {
      // The first load of each URL is not counted: it warms the service, which has answered searches before.
      const opened = urls.map((url) => [url, () => open(browser, `${url}${path}`)] as const);
      const results = await alternately(loads, Object.fromEntries(opened));
      for (const [url, all] of Object.entries(results)) {
        out.write(`\n${url}${path}, ${loads} loads, in ms\n`);
        for (const measure of MEASURES) {
          const values = all.map((load) => load[measure]).sort((a, b) => a - b);
          const [low, median, high] = [0, values.length >> 1, values.length - 1].map((at) =>
            String(Math.round(values[at] ?? NaN)).padStart(6),
          );
          out.write(`  ${measure.padEnd(16)} ${median}   (${low} to ${high})\n`);
        }
      }
    } finally {
      await browser.close();
    }
  },
});

await start(import.meta.url, main);
