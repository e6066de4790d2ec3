import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { words } from './words.js';

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = process.env['CHROMIUM'] ?? BROWSERS.find((path) => existsSync(path));

/** Whether tests in a browser run: if there is one, and always in CI, where they fail without it. */
export const hasBrowser = executablePath !== undefined || process.env['CI'] !== undefined;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: words(`
      --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
      --disable-component-update --disable-sync
    `),
  });

/** The time that a busy machine may need to show a large page, in milliseconds. */
const PATIENCE_MS = 120_000;

/**
 * Records what a page complains about in its console, and its requests to other origins. What a test expects of the page may
 * take longer than Playwright's 30 seconds.
 */
export function watchPage(page: Page, url: string): { complaints: string[]; outside: string[] } {
  const complaints: string[] = [];
  const outside: string[] = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && !['data:', 'blob:'].includes(protocol)) outside.push(request.url());
  });
  return { complaints, outside };
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Checks the accessibility of a page with axe. @returns each violation with the elements that it is about. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** By how many pixels a page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
