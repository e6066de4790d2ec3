/** npm run first-view: measures how soon the explorer shows products after it is opened; see --help. */
import { setTimeout } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { command } from '../scripts/shared/command.js';
import { preset, text, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { launchBrowser } from '../test/support/browser.js';

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

/** A script that runs in the page before the scripts of the page. It marks the name of the first product, so that the browser reports when it is painted. */
const WATCH = `
  window.shown = new Promise((resolve) => {
    new MutationObserver((_changes, observer) => {
      const name = document.querySelector('.card h2');
      if (name === null) return;
      observer.disconnect();
      name.setAttribute('elementtiming', 'product');
      const inDocument = performance.now();
      new PerformanceObserver((list) => resolve({ inDocument, painted: list.getEntries()[0].startTime }))
        .observe({ type: 'element', buffered: true });
    }).observe(document, { childList: true, subtree: true });
  });
  window.filtered = new Promise((resolve) => {
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('.place-brand li') === null) return;
      observer.disconnect();
      resolve(performance.now());
    }).observe(document, { childList: true, subtree: true });
  });
  window.firstPaint = new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true });
  });
`;

const READ = `Promise.all([shown, firstPaint, filtered]).then(([{ inDocument, painted }, firstPaint, filters]) => {
  const search = performance.getEntriesByType('resource').find(({ name }) => name.includes('/v1/search?'));
  return {
    'first paint': firstPaint,
    'search sent': search.requestStart,
    'search answered': search.responseEnd,
    'in the document': inDocument,
    painted,
    'filters shown': filters,
    'search took': search.responseEnd - search.requestStart,
  };
})`;

const SETTLE_MS = 1_500;

async function open(browser: Browser, url: string): Promise<PageLoad> {
  // A new browser context has no files and compiled scripts from earlier loads in its caches.
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    // Chromium loads parts of its own interface after it has opened a window.
    await setTimeout(SETTLE_MS);
    await page.goto(url);
    return (await page.evaluate(READ)) as PageLoad;
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
      const results = new Map<string, PageLoad[]>(urls.map((url) => [url, []]));
      // The first load of each URL is not counted: it warms the service, which has answered searches before.
      for (let turn = 0; turn <= loads; turn += 1) {
        for (const url of turn % 2 === 0 ? urls : urls.toReversed()) {
          const load = await open(browser, `${url}${path}`);
          if (turn > 0) results.get(url)?.push(load);
        }
      }
      for (const [url, all] of results) {
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
