// Chaos too (oracles): npm test goes one of the ways through the views, npm run test:chaos all of them, and checks all views for accessibility in both colour schemes and two widths.
import { assert } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { begunRun } from '../../src/usecases/shared/runs.js';
import { sourceOperation, type SourceState, sourcesIndex } from '../../src/usecases/shared/source-states.js';
import { buildSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import { useApi } from '../support/api.js';
import { axeViolations, hasBrowser, launchBrowser, overflow, watchPage } from '../support/browser.js';
import { isChaos, keepSome } from '../support/chaos.js';
import { groupListings, offer } from '../support/listings.js';
import { until } from '../support/until.js';

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
  kettle('k0b', '18.50', { source: 'shop_b' }),
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
    const api = useApi(CATALOGUE);
    let browser: Browser;
    let key: string;
    before(async () => {
      key = await api.key();
      // A second load changes the price, so that there is a history to plot.
      await api.load([kettle('k0b', '17.00', { source: 'shop_b', last_checked: '2026-02-20T00:00:00Z' })]);
      await groupListings(api, ['k0', 'k0b', 'k0c']);
      const { es, prefix: indexPrefix, products } = api;
      await buildSuggestions({ es, indexPrefix, products, requests: null, now: new Date() });
      browser = await launchBrowser();
    });
    after(() => browser.close());

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
          await page.goto(`${api.url}/explore`);
          await page.fill('dialog input', key);
          await page.click('dialog button[type="submit"]');
          await page.locator('.card').first().waitFor();
        },
        { withKey: false },
      );
    });

    it('asks for a key, then leads from a search to a facet, a product, its price history and an offer', async () => {
      await view(
        '/explore',
        async (page, context) => {
          await page.fill('dialog input', key);
          await page.click('dialog button[type="submit"]');
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

          const curl = (await page.locator('.results > .api [data-curl]').getAttribute('data-curl')) ?? '';
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
          await card.locator('button:has-text("Why here")').click();
          assert.include(await card.locator('table').innerText(), 'It has all the words');
          await card.locator('h2 a').click();
          await page.waitForURL(/\/explore\/products\/\d+\?q=kettle/);
          await page.locator('.history canvas').waitFor();
          await settled(page);
          const offers = (await api.ok(`/v1/products/${await api.id('k0')}/offers`)).offers;
          const rows = page.locator('table.offers tbody tr');
          assert.equal(await rows.count(), 3);
          assert.include(await rows.first().innerText(), `SGD ${offers[0].price}`);
          assert.include(await page.locator('.best').innerText(), 'SGD 17.00');
          assert.include(await page.locator('section:has(#same-title)').innerText(), '% likely');

          const rejected = page.locator('section:has(#same-title) details:has(.considered)');
          await rejected.locator('> summary').click();
          await rejected.locator('a:has-text("Sonvara kettle")').first().waitFor();
          assert.notMatch(await rejected.locator('.considered').innerText(), /Listing \d/);

          await page.locator('table.offers tr:has-text("Shop B") a:has-text("History")').click();
          await page.locator('h2:has-text("Price history at Shop B")').waitFor();
          await page.locator('.history canvas').waitFor();
          await page.locator('.history details summary').click();
          const prices = await page.locator('.history table').innerText();
          assert.match(prices, /SGD 18\.50[^]*SGD 17\.00/);
          assert.deepEqual(await axeViolations(page), []);
          const shop = page.locator('.best a[target="_blank"]');
          assert.equal(await shop.getAttribute('rel'), 'noopener noreferrer nofollow');
          assert.match((await shop.getAttribute('href')) ?? '', /^https?:/);

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
        await page.goto(`${api.url}/explore`);
        await page.locator('[role="alert"]:has-text("needs an API key")').waitFor();
        await page.fill('dialog input', 'svc_test_wrong');
        await page.click('dialog button[type="submit"]');
        await page.locator('[role="alert"]:has-text("does not accept this key")').waitFor();
        await page.fill('dialog input', key);
        await page.click('dialog button[type="submit"]');
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
          await page.fill('dialog input', wrong);
          await page.click('dialog button[type="submit"]');
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
        await page.goto(`${api.url}/explore`);
        await page.locator('.card').first().waitFor();
        await page.locator('[role="alert"]:has-text("cannot be reached") button').waitFor();
      } finally {
        await context.close();
      }
    });

    it('sends the search of the address once, with all that InstantSearch reads from it', async () => {
      for (const address of [
        '',
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
          for (const [name, value] of new URLSearchParams(address))
            assert.include(parameters.getAll(name), value, address);
          assert.equal(new URL(page.url()).search.length, address.length, 'the address has changed');
        });
    });

    it('sends one request to the API before it shows results, and loads no plots', async () => {
      await view('/explore', async (page) => {
        await filtersOf(page);
        const loaded = (await page.evaluate(
          'performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname)',
        )) as string[];
        assert.deepEqual(loaded.filter((path) => !/icon|images/.test(path)).sort(), [
          '/explore/app.css',
          '/explore/app.js',
          '/explore/search-client.js',
          '/explore/search-widgets.js',
          '/v1/search',
        ]);
      });
    });

    it('can be used with the keyboard alone', async () => {
      await view('/explore', async (page) => {
        await page.locator('.card').first().waitFor();
        const press = (name: string) => page.keyboard.press(name);
        const tabTo = async (selector: string) => {
          for (let tabs = 0; tabs < 80; tabs += 1) {
            await press('Tab');
            if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
          }
          assert.fail(`${selector} cannot be reached`);
        };
        await tabTo('.skip');
        await tabTo('[role="combobox"]');
        await page.keyboard.type('Sonvara');
        await page.locator('[role="option"]').first().waitFor();
        await press('ArrowDown');
        const active = await page.getAttribute('[role="combobox"]', 'aria-activedescendant');
        assert.equal(await page.locator('[aria-selected="true"]').getAttribute('id'), active);
        await press('Escape');
        assert.isFalse(await page.locator('[role="listbox"]').isVisible());
        await press('Enter');
        await page.waitForURL(/q=Sonvara/);
        await tabTo('.place-brand .ais-RefinementList-checkbox');
        await press('Space');
        await page.waitForURL(/brand=/);
        await tabTo('.card h2 a');
        await press('Enter');
        await page.locator('h1').waitFor();
        await settled(page);
        await tabTo('.plot');
        await press('End');
        await press('Home');
        await until(() => page.evaluate('/SGD/.test(document.querySelector(".history .reading").innerText)'));
      });
    });

    it('completes the last word while somebody types, and follows links within the search', async () => {
      await view('/explore', async (page) => {
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
        await page.click('.home');
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
        await page.locator('h1:has-text("<script>")').waitFor();
        await settled(page);
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
      await api.es.index({ index: sourcesIndex(api.prefix), document, refresh: true });
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

    keepSome(this, 1);

    if (isChaos) {
      for (const scheme of ['light', 'dark'] as const)
        for (const width of [390, 1280])
          it(`is accessible in all views, ${scheme}, ${width} pixels wide`, async () => {
            const views = [
              '/explore',
              '/explore?q=kettle&brand=Sonvara',
              '/explore?q=nosuchthing',
              await product(),
            ];
            for (const path of [
              ...views,
              '/explore/deals?min_discount_pct=0',
              '/explore/categories',
              '/explore/sources',
            ]) {
              const open = async (page: Page) => {
                await page.locator('h1').first().waitFor({ state: 'attached' });
                if (path.startsWith('/explore?') || path === '/explore') await filtersOf(page);
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
