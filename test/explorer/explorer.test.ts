// Chaos too (oracles): npm test goes one of the ways through the views, npm run test:chaos all of them, and checks all views for accessibility in both colour schemes and two widths.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { PictureFolder } from '../../src/platform/pictures.js';
import { begunRun } from '../../src/sources/runs.js';
import { sourceOperation, type SourceState } from '../../src/sources/source-states.js';
import { buildSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import { useApi } from '../support/api.js';
import { axeViolations, hasBrowser, launchBrowser, overflow, watchPage } from '../support/browser.js';
import { isChaos, keepSome } from '../support/chaos.js';
import { groupListings, offer } from '../support/listings.js';
import { until } from '../support/until.js';
import { storedIndex } from '../../src/platform/stored.js';

const kettle = (sku: string, price: string, fields: Record<string, unknown> = {}) =>
  offer(sku, `Sonvara kettle VK-${sku.slice(0, 2)}0X steel`, price, {
    brand: 'Sonvara',
    category: 'Kettles',
    category_path: ['Home', 'Kitchen', 'Kettles'],
    is_available: true,
    rating: 4.5,
    last_checked: '2026-01-10T00:00:00Z',
    buy_url: `https://shop.example/${sku}`,
    description: 'Boils water.',
    metadata: { colour: Number(sku.slice(1, 2)) % 2 === 0 ? 'Black' : 'White' },
    ...fields,
  });

/** Texts that shops may send: markup, marks that turn the direction of the text, and a name of 1,000 characters. */
const HOSTILE = {
  script: `Kettle <script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> "'&amp;`,
  reversed: 'Kettle \u202egnp.elttek\u2066 of the right',
  long: `Kettle ${'x'.repeat(993)}`,
};

const CATALOGUE = [
  ...Array.from({ length: 9 }, (_, i) => kettle(`k${i}`, `${20 + i}.00`)),
  kettle('k0b', '18.50', { source: 'shop_b', image_url: 'http://catalogue.example/explore/icon.svg' }),
  kettle('k0c', '25.00', { source: 'shop_c', is_available: false, list_price: '50.00' }),
  ...Array.from({ length: 4 }, (_, i) =>
    offer(`t${i}`, `Rondure toaster with a kettle ${i}`, `${60 + i}.00`, {
      brand: 'Rondure',
      category_path: ['Home', 'Toasters'],
      source: 'shop_b',
    }),
  ),
  kettle('h1', '31.00', {
    name: HOSTILE.script,
    brand: '<b>Brand</b>',
    description: '</bdi></main><script>window.hacked = 1</script>',
    category_path: ['<i>Home</i>', 'Kettles'],
    image_url: 'https://tracker.example/pixel.gif',
    metadata: { '<u>material</u>': '<s>steel</s>' },
  }),
  kettle('h2', '32.00', { name: HOSTILE.reversed, brand: 'Reversed' }),
  kettle('h3', '33.00', { name: HOSTILE.long, brand: 'Long' }),
];

// The tests need a browser. In CI they always run, and fail if it is missing.
if (hasBrowser) {
  describe('the explorer in a real browser', function () {
    this.timeout(300_000);
    const pictures = mkdtempSync(join(tmpdir(), 'pictures-'));
    const api = useApi(CATALOGUE, { PICTURES_FOLDER: pictures });
    let browser: Browser;
    let key: string;
    before(async () => {
      key = await api.key();
      // A second load changes the price, so that there is a history to plot.
      await api.load([
        kettle('k0b', '17.00', {
          source: 'shop_b',
          last_checked: '2026-02-20T00:00:00Z',
          image_url: 'http://catalogue.example/explore/icon.svg',
        }),
      ]);
      await groupListings(api, ['k0', 'k0b', 'k0c']);
      const { es, prefix: indexPrefix, products } = api;
      await buildSuggestions({ es, indexPrefix, products, requests: null, now: new Date() });
      browser = await launchBrowser();
    });
    after(async () => {
      await browser.close();
      rmSync(pictures, { recursive: true });
    });

    /** Opens a view in a new tab with a key, passes its page to `use`, and checks that nothing was complained about. */
    async function view(
      path: string,
      use: (page: Page, context: BrowserContext) => Promise<void>,
      options: { withKey?: boolean; width?: number; scheme?: 'light' | 'dark' } = {},
    ) {
      const { withKey = true, width = 1280, scheme = 'light' } = options;
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      try {
        if (withKey)
          await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        const { complaints, outside } = watchPage(page, api.url);
        await page.goto(`${api.url}${path}`);
        await use(page, context);
        assert.isUndefined(await page.evaluate('window.hacked'));
        assert.deepEqual(
          complaints.filter((text) => withKey || !text.includes('401')),
          [],
        );
        assert.deepEqual(outside, []);
      } finally {
        await context.close();
      }
    }

    const product = async () => `/explore/products/${await api.id('k0')}`;

    /** Waits until no answer is awaited any more. */
    const settled = (page: Page) => until(() => page.evaluate('document.querySelector(".loading") === null'));

    const facet = async (page: Page, place: string): Promise<Record<string, number>> => {
      const items = page.locator(`.place-${place} .ais-RefinementList-item`);
      const labels = await items.locator('.ais-RefinementList-labelText').allInnerTexts();
      const counts = await items.locator('.ais-RefinementList-count').allInnerTexts();
      return Object.fromEntries(labels.map((label, at) => [label, Number(counts[at])]));
    };

    const facetOfApi = async (name: string, query: string): Promise<Record<string, number>> => {
      const { facets } = await api.ok(`/v1/search?limit=1&facets=${name}&${query}`);
      return Object.fromEntries(facets[0].values.map(({ value, count }: any) => [value, count]));
    };

    it('asks for a key also if the first search is refused before the explorer has started', async () => {
      await view(
        '/explore/sources',
        async (page) => {
          // On a busy machine, the answer may arrive before the parts of the explorer start, which wait for a frame or a moment.
          await page.addInitScript(`
            const { setTimeout: wait } = window;
            window.requestAnimationFrame = (start) => wait(start, 1_000);
            window.setTimeout = (start, ms, ...rest) => wait(start, ms > 0 ? ms + 1_000 : ms, ...rest);`);
          await page.goto(`${api.url}/explore?q=`);
          await page.fill('dialog[open] input', key);
          await page.click('dialog[open] button[type="submit"]');
          await page.locator('.card').first().waitFor();
        },
        { withKey: false },
      );
    });

    it('asks for a key, then leads from a search to a facet, a product, its price history and an offer', async () => {
      await view(
        '/explore?q=',
        async (page, context) => {
          await page.fill('dialog[open] input', key);
          await page.click('dialog[open] button[type="submit"]');
          await page.locator('.card').first().waitFor();
          await page.fill('[role="combobox"]', 'kettle');
          const query = 'q=kettle&group=product';
          const { total, total_groups: groups } = await api.ok(`/v1/search?${query}`);
          await until(() =>
            page.evaluate(`document.querySelector('.place-stats')?.innerText.startsWith('${groups} ')`),
          );
          assert.include(await page.locator('.toolbar').innerText(), `${total} listings`);
          await filtersOf(page);
          assert.deepEqual(await facet(page, 'brand'), await facetOfApi('brand', query));

          await page.click('.place-brand .ais-RefinementList-label:has-text("Sonvara")');
          await page.waitForURL(/brand=Sonvara/);
          const selected = await api.ok(`/v1/search?${query}&brand=Sonvara`);
          await until(() =>
            page.evaluate(
              `document.querySelector('.place-stats')?.innerText.startsWith('${selected.total_groups} ')`,
            ),
          );
          // The counts of a facet ignore its own filter.
          assert.deepEqual(await facet(page, 'brand'), await facetOfApi('brand', query));
          const shops = Object.fromEntries(
            Object.entries(await facet(page, 'source')).map(([shop, count]) => [
              shop.toLowerCase().replace(' ', '_'),
              count,
            ]),
          );
          assert.deepEqual(shops, await facetOfApi('source', `${query}&brand=Sonvara`));
          assert.deepEqual(await axeViolations(page), []);

          await page.click('.ratings button:has-text("4 and more")');
          await page.waitForURL(/min_rating=4/);
          const chosen = page.locator('.ais-CurrentRefinements-item:has-text("Rating")');
          assert.match(await chosen.innerText(), /4 and more/);
          assert.strictEqual(await chosen.locator('button').count(), 1);
          await page.click('.ratings button[aria-pressed="true"]');
          await page.waitForURL((url) => !url.search.includes('min_rating'));

          const curl =
            (await page.locator('.drawer [data-curl*="/v1/search"]').getAttribute('data-curl')) ?? '';
          const [, path = ''] = /'http[^']*(\/v1\/search[^']*)'/.exec(curl) ?? [];
          assert.equal((await api.ok(path)).total_groups, selected.total_groups);
          assert.notInclude(curl, key);

          // Somebody else opens the same address.
          const other = await context.newPage();
          await other.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
          await other.goto(page.url());
          await other
            .locator('.place-brand .ais-RefinementList-item--selected:has-text("Sonvara")')
            .waitFor();
          assert.equal(await other.inputValue('[role="combobox"]'), 'kettle');
          await other.close();

          const card = page.locator('.card:has-text("3 offers in 3 shops")');
          await card.locator('button:has-text("Offers")').click();
          await card.locator('.offer-list li:has-text("Shop B")').waitFor();
          await card.locator('h2 a').click();
          await page.waitForURL(/\/explore\/products\/\d+\?q=kettle/);
          await page.locator('.history canvas').waitFor();
          await settled(page);
          const offers = (await api.ok(`/v1/products/${await api.id('k0')}/offers`)).offers;
          const rows = page.locator('table.offers tbody tr');
          assert.equal(await rows.count(), 3);
          assert.include(await rows.first().innerText(), `SGD ${offers[0].price}`);
          assert.include(await page.locator('.best').innerText(), 'SGD 17.00');
          await page.getByText('Details', { exact: true }).click();
          await page.locator('section:has(#same-title) .reasons').waitFor();
          await page.locator('section:has(#rank-title) td').first().waitFor();
          assert.include(await page.locator('section:has(#rank-title)').innerText(), 'It has all the words');
          assert.include(await page.locator('section:has(#same-title)').innerText(), '% likely');
          assert.notInclude(await page.locator('table.offers').innerText(), '%');

          const rejected = page.locator('section:has(#same-title) details:has(.considered)');
          await rejected.locator('> summary').click();
          await rejected.locator('a:has-text("Sonvara kettle")').first().waitFor();
          assert.notMatch(await rejected.locator('.considered').innerText(), /Listing \d/);

          await page.locator('.shop-lines label:has-text("Shop B")').click();
          await page.locator('.history details summary').click();
          const prices = await page.locator('.history table').innerText();
          assert.match(prices, /SGD 18\.50\s+Shop B[^]*SGD 17\.00\s+Shop B/);
          assert.deepEqual(await axeViolations(page), []);
          const shop = page.locator('.best a[target="_blank"]');
          assert.equal(await shop.getAttribute('rel'), 'noopener noreferrer nofollow');
          assert.match((await shop.getAttribute('href')) ?? '', /^\/track\/\d+$/);

          while (page.url().includes('/products/')) await page.goBack();
          await page.locator('.place-brand .ais-RefinementList-item--selected:has-text("Sonvara")').waitFor();
        },
        { withKey: false },
      );
    });

    /** Waits until the filters are there, which follow the first products. */
    const filtersOf = (page: Page) => page.locator('.place-sort select').waitFor();

    it('shows products and searches before the code of the filters is loaded', async () => {
      await view('/explore?sort=price_asc', async (page) => {
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        await page.route('**/search-widgets.js', async (route) => {
          await held;
          await route.continue();
        });
        await page.reload();
        await page.locator('.card').first().waitFor();
        await page.fill('[role="combobox"]', 'toaster');
        await page.waitForURL(/\?q=toaster&sort=price_asc$/);
        const { items, total_groups: toasters } = await api.ok(
          '/v1/search?q=toaster&group=product&sort=price_asc',
        );
        const shown = () => page.locator('.card h2').allInnerTexts();
        await until(async () => (await shown()).length === toasters);
        assert.equal((await shown())[0], items[0].name);
        assert.equal(await page.locator('.place-sort select').count(), 0);
        // The filters start while the suggestions are awaited, of which the search takes a whole word.
        await page.route('**/v1/suggest*', async (route) => {
          await filtersOf(page);
          await route.continue();
        });
        await page.fill('[role="combobox"]', 'kettle');
        release();
        await page.waitForURL(/q=kettle/);
        const { total_groups: kettles } = await api.ok('/v1/search?q=kettle&group=product&sort=price_asc');
        await until(async () => (await shown()).length === kettles);
        assert.equal(await page.inputValue('.place-sort select'), 'products:price_asc');
        assert.match(page.url(), /\?q=kettle&sort=price_asc$/);
      });
    });

    it('leads back to all products from an address that the API refuses', async () => {
      const context = await browser.newContext();
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        await page.goto(`${api.url}/explore?min_price=none`);
        await page.locator('[role="alert"]:has-text("min_price")').waitFor();
        await page.getByText('Show all products').click();
        await page.locator('.card').first().waitFor();
        assert.equal(await page.locator('[role="alert"]').count(), 0);
      } finally {
        await context.close();
      }
    });

    it('says that a key is not accepted, and how to find deals if there are none', async () => {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        await page.goto(`${api.url}/explore?q=`);
        await page.locator('[role="alert"]:has-text("needs an API key")').waitFor();
        await page.fill('dialog[open] input', 'svc_test_wrong');
        await page.click('dialog[open] button[type="submit"]');
        await page.locator('[role="alert"]:has-text("does not accept this key")').waitFor();
        await page.fill('dialog[open] input', key);
        await page.click('dialog[open] button[type="submit"]');
        await page.locator('.card').first().waitFor();
        await page.goto(`${api.url}/explore/deals?q=nosuchthing`);
        await page.getByText('No price has fallen like this.').waitFor();
        await page.getByRole('link', { name: 'Show all deals' }).click();
        await page.waitForURL(/deals\?min_discount_pct=10$/);
      } finally {
        await context.close();
      }
    });

    it('asks for a key again when the API refuses one at once, until Escape is pressed', async () => {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        await page.goto(`${api.url}/explore/deals`);
        await page.locator('[role="alert"]:has-text("needs an API key")').waitFor();
        await page.evaluate("window.fetch = async () => new Response('{}', { status: 401 })");
        for (const wrong of ['svc_test_wrong', 'svc_test_wrong_too']) {
          await page.fill('dialog[open] input', wrong);
          await page.click('dialog[open] button[type="submit"]');
          await page.locator('[role="alert"]:has-text("does not accept this key")').waitFor();
          await page.locator('dialog[open]').waitFor();
        }
        await page.keyboard.press('Escape');
        await page.locator('dialog[open]').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Key' }).click();
        await page.locator('dialog[open]').waitFor();
      } finally {
        await context.close();
      }
    });

    it('says so if the code of the filters cannot be loaded', async () => {
      const context = await browser.newContext();
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        await page.route('**/search-widgets.js', (route) => route.abort());
        await page.goto(`${api.url}/explore?q=`);
        await page.locator('.card').first().waitFor();
        await page.locator('[role="alert"]:has-text("cannot be reached") button').waitFor();
      } finally {
        await context.close();
      }
    });

    it('sends the search of the address once, with all that InstantSearch reads from it', async () => {
      for (const address of [
        '?q=',
        '?q=kettle&brand=Sonvara&brand=Reversed&source=shop_b',
        '?category_path=Home+%3E+Kitchen&min_price=20&max_price=30.5&in_stock=true&min_rating=4',
        '?q=kettle&attr.colour=White&attr.colour=Black&sort=price_desc',
      ])
        await view(`/explore${address}`, async (page) => {
          await filtersOf(page);
          await settled(page);
          const sent = (await page.evaluate(
            'performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("/v1/search"))',
          )) as string[];
          assert.equal(sent.length, 1, sent.join('\n'));
          const parameters = new URL(sent[0] ?? '').searchParams;
          for (const [name, value] of new URLSearchParams(address === '?q=' ? '' : address))
            assert.include(parameters.getAll(name), value, address);
          assert.equal(new URL(page.url()).search.length, address.length, 'the address has changed');
        });
    });

    it('sends one request to the API before it shows results, and loads no plots', async () => {
      await view('/explore?q=', async (page) => {
        await filtersOf(page);
        const loaded = (await page.evaluate(
          'performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)',
        )) as string[];
        const names = loaded.map((path) => path.replace(/-[A-Z0-9]{8}\.js$/, '.js'));
        assert.deepEqual([...new Set(names.filter((path) => !/icon|images/.test(path)))].sort(), [
          '/explore/app.css',
          '/explore/app.js',
          '/explore/chunk.js',
          '/explore/search-client.js',
          '/explore/search-widgets.js',
          '/v1/search',
        ]);
      });
    });

    it('can be used with the keyboard alone, from the home to a watched price', async () => {
      await view('/explore', async (page) => {
        const press = (name: string) => page.keyboard.press(name);
        const tabTo = async (selector: string) => {
          for (let tabs = 0; tabs < 80; tabs += 1) {
            await press('Tab');
            if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
          }
          assert.fail(`${selector} cannot be reached`);
        };
        await page.locator('.hero').waitFor();
        await tabTo('.skip');
        await press('/');
        await page.keyboard.type('Sonvara');
        await page.locator('[role="option"]').first().waitFor();
        assert.match(await page.locator('[role="option"]').first().innerText(), /· \d+ listings?$/);
        await press('ArrowDown');
        const active = await page.getAttribute('[role="combobox"]', 'aria-activedescendant');
        assert.equal(await page.locator('[aria-selected="true"]').getAttribute('id'), active);
        await press('Escape');
        assert.isFalse(await page.locator('[role="listbox"]').isVisible());
        await press('Enter');
        await page.waitForURL(/q=Sonvara/);
        await filtersOf(page);
        await tabTo('.place-brand .ais-RefinementList-checkbox');
        await press('Space');
        await page.waitForURL(/brand=/);
        // A link leads past the filters.
        await page.locator('.skip[href="#products"]').focus();
        await press('Enter');
        await press('Tab');
        assert.isTrue(await page.evaluate('document.activeElement.closest("#products") !== null'));
        await tabTo('.card h2 a');
        await press('Enter');
        await page.locator('h1:has-text("Sonvara")').waitFor();
        await settled(page);
        await tabTo('.watch button');
        await press('Enter');
        await tabTo('.watch input');
        await press('Enter');
        await page.locator('.watch a:has-text("Watching below")').waitFor();
        await tabTo('.plot');
        await press('End');
        await press('Home');
        await until(() => page.evaluate('/SGD/.test(document.querySelector(".history .reading").innerText)'));
        await page.locator('.watch button').first().focus();
        await tabTo('.watch a');
        await press('Enter');
        await page.locator('.watched li:has-text("below SGD")').waitFor();
        await settled(page);
        await page.locator('.watched a:has-text("Sonvara")').waitFor();
        assert.deepEqual(await axeViolations(page), []);
      });
    });

    /** Answers every following search with a status, or not at all, until the returned function is called. */
    async function breakSearch(page: Page, status: number): Promise<() => Promise<void>> {
      const pattern = '**/v1/search*';
      await page.route(pattern, (route) =>
        status === 0 ? route.abort() : route.fulfill({ status, json: { detail: 'Not now' } }),
      );
      return () => page.unroute(pattern);
    }

    it('shows why a later search failed, whatever started it, and repeats it', async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        const ways: [string, number, RegExp, (page: Page) => Promise<unknown>][] = [
          ['typing', 503, /Not now/, (on) => on.fill('[role="combobox"]', 'toaster')],
          ['a facet', 429, /Too many requests/, (on) => on.click('.place-brand label:has-text("Rondure")')],
          [
            'the order',
            0,
            /cannot be reached/,
            (on) => on.selectOption('.place-sort select', 'products:price_asc'),
          ],
          ['a key that was withdrawn', 401, /does not accept/, (on) => on.click('.place-stock label')],
        ];
        for (const [way, status, message, act] of ways) {
          await page.goto(`${api.url}/explore?q=kettle`);
          await filtersOf(page);
          const before = await page.locator('.card h2').allInnerTexts();
          const mend = await breakSearch(page, status);
          await act(page);
          await page.locator('.results [role="alert"]').waitFor();
          assert.match(await page.locator('.results [role="alert"]').innerText(), message, way);
          assert.equal(await page.locator('.results.stale').count(), 1, way);
          assert.deepEqual(await page.locator('.card h2').allInnerTexts(), before, way);
          assert.equal(await page.locator('[aria-busy="true"]').count(), 0, way);
          await mend();
          if (status === 401) {
            await page.locator('dialog[open]:has-text("does not accept the key")').waitFor();
            continue;
          }
          assert.deepEqual(await axeViolations(page), [], way);
          await page.click('.results [role="alert"] button');
          await page.locator('.results:not(.stale)').waitFor();
          await until(async () => (await page.locator('.card h2').allInnerTexts()).join() !== before.join());
          assert.equal(await page.locator('[role="alert"]').count(), 0, way);
        }
      } finally {
        await context.close();
      }
    });

    it('shows why the next page failed, and repeats it', async () => {
      const context = await browser.newContext();
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        // The catalogue of this test has one page, so its total is raised.
        await page.route(/\/v1\/search\?/, async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as Record<string, unknown>;
          await route.fulfill({ response, json: { ...body, total_groups: 60 } });
        });
        await page.goto(`${api.url}/explore?q=kettle`);
        await page.locator('.ais-Pagination-link').first().waitFor();
        const mend = await breakSearch(page, 503);
        await page.click('.ais-Pagination-item--nextPage a');
        await page.locator('.results.stale [role="alert"]').waitFor();
        await mend();
        await page.click('.results [role="alert"] button');
        await page.locator('.results:not(.stale)').waitFor();
        await page.waitForURL(/page=2/);
      } finally {
        await context.close();
      }
    });

    it('shows that it is searching until the answer comes', async () => {
      await view('/explore?q=kettle', async (page) => {
        await filtersOf(page);
        await page.locator('.results[aria-busy="false"]').waitFor();
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        await page.route('**/v1/search*', async (route) => {
          await held;
          await route.continue();
        });
        await page.fill('[role="combobox"]', 'toaster');
        await page.locator('.results[aria-busy="true"] .progress').waitFor();
        const opacity = await page.evaluate('getComputedStyle(document.querySelector(".cards")).opacity');
        assert.isBelow(Number(opacity), 1);
        release();
        await page.locator('.results[aria-busy="false"]').waitFor();
        assert.isFalse(await page.locator('.progress').isVisible());
      });
    });

    for (const width of [390, 820, 1280])
      it(`shows whole pictures, which lead to the product, ${width} pixels wide`, async () => {
        await view(
          '/explore?q=kettle&sort=price_asc',
          async (page) => {
            const image = page.locator('.card .picture img').first();
            await image.scrollIntoViewIfNeeded();
            await image.waitFor();
            const cut = await image.evaluate((img: any) => {
              const box = img.closest('.picture').getBoundingClientRect();
              const own = img.getBoundingClientRect();
              return [
                own.height - box.height,
                own.width - box.width,
                (globalThis as any).getComputedStyle(img).objectFit,
              ];
            });
            assert.isAtMost(cut[0], 0.5);
            assert.isAtMost(cut[1], 0.5);
            assert.equal(cut[2], 'contain');
            await image.click();
            await page.waitForURL(/\/explore\/products\//);
            await page.locator('h1').waitFor();
          },
          { width },
        );
      });

    it('shows stored pictures wherever products are, and a letter if there is none', async () => {
      const { es, products: index } = api;
      const webp = await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } })
        .webp()
        .toBuffer();
      const picture = await (
        await PictureFolder.open({ folder: pictures, maxBytes: 2 ** 20 }, new Date())
      ).keep(webp);
      const keep = async (sku: string, sha256: string | null) => {
        const url = `https://tracker.example/${sku}.png`;
        const image = { url, seen_at: '2026-02-20T00:00:00Z', hash: '0'.repeat(16), failure: null };
        await es.update({
          index,
          id: String(await api.id(sku)),
          doc: { image_url: url, internal: { image, picture: sha256 } },
          refresh: true,
        });
      };
      await keep('k5', picture);
      // The file of this one was deleted.
      await keep('k6', 'e'.repeat(64));
      await view(`/explore/products/${await api.id('k5')}`, async (page) => {
        const image = page.locator('.lead .picture img');
        await image.waitFor();
        assert.equal(await image.getAttribute('src'), `/pictures/${picture}.webp`);
        assert.equal(await image.evaluate((img: any) => img.naturalWidth), 40);
      });
      const context = await browser.newContext();
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        await page.goto(`${api.url}/explore?q=kettle&brand=Sonvara`);
        const card = (sku: string) => page.locator('.card', { hasText: `VK-${sku}0X` });
        await card('k5').locator('.picture img').scrollIntoViewIfNeeded();
        await card('k6').locator('.picture .letter').waitFor();
        await card('k7').locator('.picture .letter').waitFor();
      } finally {
        await context.close();
        await keep('k6', null);
      }
    });

    it('names each tab after what it shows', async () => {
      const titles = new Set<string>();
      for (const path of ['/explore', '/explore?q=', '/explore?q=kettle', '/explore/deals', await product()])
        await view(path, async (page) => {
          await settled(page);
          await until(async () => (await page.title()).includes(' · '));
          titles.add(await page.title());
        });
      assert.equal(titles.size, 5, [...titles].join(', '));
    });

    it('says that the key of the demo was refused', async () => {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        const settings = JSON.stringify({ public_url: api.url, key: 'svc_test_old' }).replaceAll(
          '"',
          '&quot;',
        );
        await page.route(`${api.url}/explore/deals`, async (route) => {
          const response = await route.fetch();
          const text = (await response.text()).replace(/(name="settings" content=")[^"]*/, `$1${settings}`);
          await route.fulfill({ response, body: text });
        });
        await page.goto(`${api.url}/explore/deals`);
        await page.locator('dialog[open]:has-text("does not accept the key")').waitFor();
        assert.notInclude(await page.locator('dialog[open]').innerText(), 'you need none');
      } finally {
        await context.close();
      }
    });

    it('shows on the home what the catalogue has, and examples that find something', async () => {
      await view('/explore', async (page) => {
        await settled(page);
        const { total, total_groups: groups } = await api.ok('/v1/search?group=product&limit=1');
        const figures = await page.locator('.figures').innerText();
        assert.match(figures, new RegExp(`products\\s+${groups}\\s+listings\\s+${total}`));
        assert.equal(await page.locator('.hero [role="combobox"]').inputValue(), '');
        const examples = page.locator('.examples a');
        for (const example of await examples.all()) {
          const address = (await example.getAttribute('href')) ?? '';
          const q = new URL(address, api.url).searchParams.get('q') ?? '';
          const found = await api.ok(`/v1/search?${new URLSearchParams({ q, interpret: 'true' })}`);
          assert.isAbove(found.total, 0, q);
        }
        await page.fill('[role="combobox"]', 'toaster');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\?q=toaster$/);
        await page.locator('.card').first().waitFor();
        await page.click('.home');
        await page.locator('.hero').waitFor();
      });
    });

    it('shows what it understood of the words, and searches without a part of it', async () => {
      await view('/explore?q=kettle+under+SGD+25+-white', async (page) => {
        await page.locator('.understood li').nth(1).waitFor();
        assert.deepEqual(await page.locator('.understood bdi').allInnerTexts(), [
          'at most SGD 25',
          'without white',
        ]);
        const { total_groups: groups } = await api.ok(
          '/v1/search?q=kettle+under+SGD+25+-white&interpret=true&group=product',
        );
        assert.include(await page.locator('.place-stats').innerText(), `${groups} product`);
        await filtersOf(page);
        await page.click('.understood button[aria-label*="white"]');
        await page.waitForURL(/q=kettle\+under\+SGD\+25$/);
        await until(async () => (await page.locator('.understood li').count()) === 1);
      });
    });

    it('has its filters in a sheet on a phone', async () => {
      await view(
        '/explore?q=kettle',
        async (page) => {
          await filtersOf(page);
          assert.isFalse(await page.locator('.place-brand').isVisible());
          await page.getByRole('button', { name: 'Filters' }).click();
          await page.click('.place-brand label:has-text("Reversed")');
          await page.waitForURL(/brand=Reversed/);
          await page.getByRole('button', { name: 'Show 1 product' }).click();
          assert.isFalse(await page.locator('.place-brand').isVisible());
          assert.equal(await page.locator('.card').count(), 1);
        },
        { width: 390 },
      );
    });

    it('moves little of what is shown while it loads', async () => {
      for (const path of [
        '/explore',
        '/explore?q=kettle',
        await product(),
        '/explore/deals?min_discount_pct=0',
      ])
        for (const width of [390, 1280]) {
          const context = await browser.newContext({ viewport: { width, height: 844 } });
          try {
            await context.addInitScript(`
              sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)});
              window.shift = 0;
              window.moved = [];
              new PerformanceObserver((list) => {
                for (const { value, hadRecentInput, sources } of list.getEntries()) {
                  if (hadRecentInput) continue;
                  window.shift += value;
                  for (const { node, previousRect, currentRect } of sources)
                    window.moved.push([node?.className, previousRect.y, currentRect.y].join(' '));
                }
              }).observe({ type: 'layout-shift', buffered: true });`);
            const page = await context.newPage();
            await page.goto(`${api.url}${path}`, { waitUntil: 'networkidle' });
            await settled(page);
            const moved = await page.evaluate('window.moved.join("; ")');
            assert.isAtMost(
              (await page.evaluate('window.shift')) as number,
              0.05,
              `${path}, ${width}: ${String(moved)}`,
            );
          } finally {
            await context.close();
          }
        }
    });

    it('completes the last word while somebody types, and follows links within the search', async () => {
      await view('/explore?q=', async (page) => {
        await page.locator('.card').first().waitFor();
        const { total_groups: all } = await api.ok('/v1/search?group=product');
        const shows = (products: number) =>
          until(() =>
            page.evaluate(
              `document.querySelector('.place-stats')?.innerText === '${products} product${products === 1 ? '' : 's'}'`,
            ),
          );
        const colour = page.locator('.place-attributes h3:has-text("Colour")');
        await colour.waitFor();
        await page.locator('[role="combobox"]').pressSequentially('toast');
        await page.waitForURL(/q=toaster/);
        const { total_groups: toasters } = await api.ok('/v1/search?q=toaster&group=product');
        await shows(toasters);
        // No toaster states a colour.
        await colour.waitFor({ state: 'hidden' });
        await page.fill('[role="combobox"]', '');
        await shows(all);
        await page.goto(`${api.url}/explore?q=toaster&brand=Nobody`);
        await page.click('.nothing a:has-text("Without the filter Brand")');
        await shows(toasters);
        assert.equal(await page.inputValue('[role="combobox"]'), 'toaster');
        await page.goto(`${api.url}/explore?q=nosuchthing`);
        await page.click('.nothing a:has-text("Show all products")');
        await shows(all);
      });
    });

    it('recommends no price that is flagged, and warns of one beside its verdict', async () => {
      const { es, products: index } = api;
      const [first, second] = [await api.id('t0'), await api.id('t1')].map(Number);
      const flagged = (id: number | undefined) => id === second;
      const include = (body: any, list: string) => {
        const [one] = body[list];
        return [first, second].map((id, at) => ({
          ...one,
          id,
          name: `Rondure toaster of price ${at}`,
          price: '30.00',
          original_price: '60.00',
          discount_pct: 50,
          price_basis: 'observed',
          position: { verdict: 'lowest_ever', percentile: 0, basis_days: 90 },
          flags: flagged(id) ? ['price_low'] : ['stale'],
        }));
      };
      await view('/explore', async (page) => {
        await page.route('**/v1/deals*', async (route) => {
          const search = await route.fetch({ url: `${api.url}/v1/search?q=toaster&include=picture` });
          const body = (await search.json()) as Record<string, unknown>;
          await route.fulfill({ json: { ...body, items: include(body, 'items') } });
        });
        await page.reload();
        await page.locator('.deals .card h3').first().waitFor();
        assert.deepEqual(await page.locator('.deals .card h3').allInnerTexts(), [
          'Rondure toaster of price 0',
        ]);
        assert.include(
          await page.locator('.deals .card').innerText(),
          '50 % below this shop’s usual price of 60.00',
        );
      });
      await es.update({
        index,
        id: String(second),
        doc: { internal: { flags: ['price_low'] } },
        refresh: true,
      });
      await view(`/explore/products/${second}`, async (page) => {
        await page.locator('.best .tags:has-text("unusually cheap")').waitFor();
      });
      await view(`/explore/products/${first}`, async (page) => {
        await page.locator('.best .verdict-line').waitFor();
        await settled(page);
        assert.equal(await page.locator('.best .tags').count(), 0);
      });
    });

    it('draws prices with the year, guides beside the lines, and since when they are known', async () => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      try {
        await context.addInitScript(`
          sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)});
          window.drawn = [];
          const { fillText, fill } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            window.drawn.push({ text, x: x / devicePixelRatio });
            fillText.call(this, text, x, y);
          };
          CanvasRenderingContext2D.prototype.fill = function (...path) {
            window.drawn.push({ text: 'area' });
            fill.apply(this, path);
          };`);
        const page = await context.newPage();
        await page.goto(`${api.url}${await product()}`);
        await page.locator('.history canvas').waitFor();
        await page.locator('.note:has-text("Observed since 10 Jan 2026.")').waitFor();
        assert.include(await page.locator('.shop-lines').innerText(), 'Lowest price of all shops');
        const drawn = (await page.evaluate('window.drawn')) as { text: string; x: number }[];
        assert.isTrue(drawn.some(({ text }) => text === '2026'));
        assert.isFalse(drawn.some(({ text }) => text === 'area'));
        const over = (await page.evaluate(
          'document.querySelector(".u-over").offsetLeft + document.querySelector(".u-over").offsetWidth',
        )) as number;
        const guides = drawn.filter(({ text }) => /^(?:high|median|low) \d/.test(text));
        assert.isAbove(guides.length, 1);
        for (const { text, x } of guides) assert.isAbove(x, over, text);
      } finally {
        await context.close();
      }
    });

    it('shows the scale of the prices by category, and the numbers of stated reductions', async () => {
      await view('/explore/categories', async (page) => {
        await page.locator('.spread').waitFor();
        const { categories } = await api.ok('/v1/categories?include=prices');
        const prices = categories.flatMap(({ prices }: any) => prices);
        const [min, max] = [
          Math.min(...prices.map(({ min }: any) => Number(min))),
          Math.max(...prices.map(({ max }: any) => Number(max))),
        ];
        const ticks = (await page.locator('.spread .axis text').allTextContents()).map(Number);
        assert.deepEqual(
          ticks,
          [10, 20, 50, 100].filter((tick) => min < tick && tick < max),
        );
        assert.include(ticks, 20);
      });
      await view('/explore/sources', async (page) => {
        const row = page.locator('section:has(#claims-title) tbody tr:has-text("Shop C")');
        await row.waitFor();
        const { sources } = await api.ok('/v1/quality');
        const { claims } = sources.find(({ source }: any) => source === 'shop_c');
        const { supported, exaggerated, unsupported, unknown, stated } = claims;
        assert.equal(stated, 1);
        assert.deepEqual((await row.locator('td.number').allInnerTexts()).map(Number), [
          supported,
          exaggerated,
          unsupported,
          unknown,
          stated,
        ]);
      });
    });

    it('leads to shops by the name under which it was opened, and says where commands have the key', async () => {
      await view(await product(), async (page) => {
        const link = page.locator('.best .actions a.button');
        await link.waitFor();
        const { offers } = await api.ok(`/v1/products/${await api.id('k0')}/offers`);
        assert.match(offers[0].affiliate_url, /^http:\/\/catalogue\.example\/track\//);
        assert.equal(await link.getAttribute('href'), new URL(offers[0].affiliate_url).pathname);
        await page.click('[aria-label="API requests of this view"]');
        const drawer = await page.locator('.drawer').innerText();
        assert.include(drawer, 'KEY=');
        assert.notInclude(drawer, key);
      });
    });

    it('shows hostile text of listings as text', async () => {
      await view('/explore?q=kettle', async (page) => {
        await filtersOf(page);
        const names = await page.locator('.card h2').allInnerTexts();
        assert.include(names, HOSTILE.script);
        // Marks that turn the direction of the text act within the name only.
        assert.isTrue(names.some((name) => name.includes('gnp.elttek')));
        assert.equal(await page.locator('.card h2 bdi').count(), names.length);
        assert.property(await facet(page, 'brand'), '<b>Brand</b>');
        assert.equal(await page.locator('main script, main i, main b').count(), 0);
        assert.isAtMost(await overflow(page), 0);
        assert.equal(await page.locator('img[src*="tracker"]').count(), 0);
        await page.click(`.card h2 a:has-text("window.hacked")`);
        await page.locator('.product h1').waitFor();
        await settled(page);
        await page.getByText('Details', { exact: true }).click();
        await page.locator('#same-title').waitFor();
        await settled(page);
        assert.include(await page.locator('.details').innerText(), HOSTILE.script);
        const text = await page.locator('main').innerText();
        for (const part of ['</bdi></main><script>', '<u>material</u>', '<s>steel</s>', '<i>Home</i>'])
          assert.include(text, part);
      });
      await view(
        `/explore/products/${await api.id('h3')}`,
        async (page) => {
          await page.locator('h1').waitFor();
          await settled(page);
          assert.isAtMost(await overflow(page), 0);
        },
        { width: 390 },
      );
    });

    it('shows the last and the next run of each source, and why a run was refused', async () => {
      const run = begunRun(new Date(), { name: 'b', files: ['feed.csv'], map: null });
      const counts = { ...run.counts, records: 40, rejected: 3 };
      const state: Partial<SourceState> = {
        source: 'shop_b',
        next_run_at: '2030-01-01T05:15:00Z',
        last_run: { ...run, outcome: 'refused', counts, reason: '12 of 20 listings have vanished.' },
      };
      const document = { ...sourceOperation('b').initial, ...state };
      await api.es.index({ index: storedIndex(api.prefix, 'sources'), document, refresh: true });
      await view('/explore/sources', async (page) => {
        const row = page.locator('tr', { hasText: 'Shop B' }).first();
        const text = await row.innerText();
        assert.match(
          text,
          /Last run .*: refused, 3 of 40 records rejected\. 12 of 20 listings have vanished\./,
        );
        assert.match(text, /Next run .*2030/);
      });
    });

    for (const scheme of ['light', 'dark'] as const)
      it(`has an accessible docs page, ${scheme}`, async () => {
        await view(
          '/docs',
          async (page) => {
            await page.locator('.opblock').first().waitFor();
            await page.locator('[role="region"]').first().waitFor();
            assert.deepEqual(await axeViolations(page), []);
            assert.isAtMost(await overflow(page), 0);
            assert.match(await page.locator('.opblock-tag').first().innerText(), /^Listings/);
          },
          { scheme },
        );
      });

    it('leads browsers from the root to the home, and describes the API to programs', async () => {
      await view('/', async (page) => {
        await page.locator('.hero').waitFor();
        assert.equal(new URL(page.url()).pathname, '/explore');
      });
      const { status, headers } = await api.open('/', { headers: { accept: 'application/json, */*' } });
      assert.equal(status, 200);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.include(headers.get('vary') ?? '', 'Accept');
    });

    keepSome(this, 1);

    if (isChaos) {
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [390, 820, 1280])
          it(`is accessible in all views, ${scheme}, ${width} pixels wide`, async () => {
            const views = [
              '/explore',
              '/explore?q=',
              '/explore?q=kettle+under+SGD+25&brand=Sonvara',
              '/explore?q=nosuchthing',
              await product(),
            ];
            for (const path of [
              ...views,
              '/explore/deals?min_discount_pct=0',
              '/explore/categories',
              '/explore/sources',
              '/explore/watched',
            ]) {
              const open = async (page: Page) => {
                await page.locator('h1').first().waitFor({ state: 'attached' });
                if (path.startsWith('/explore?')) await filtersOf(page);
                await settled(page);
                assert.deepEqual(await axeViolations(page), [], path);
                assert.isAtMost(await overflow(page), 0, path);
              };
              await view(path, open, { width, scheme });
            }
          });
    }
  });
}
