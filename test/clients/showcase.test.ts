// Chaos only (oracles): it bundles the showcase of the search client, and tries every widget in a browser.
import type { AddressInfo } from 'node:net';
import { assert } from 'chai';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { type Api, startApi } from '../support/api.js';
import { axeViolations, hasBrowser, launchBrowser, watchPage } from '../support/browser.js';
import { offer } from '../support/listings.js';
import { until } from '../support/until.js';
import { LINKS } from '../../src/http/site-header.js';
import { showcase } from '../../tools/showcase.js';

const CATALOGUE = Array.from({ length: 24 }, (_, i) =>
  offer(`s${i}`, `${i % 2 === 0 ? 'Electric kettle' : 'Toaster & <b>kettle</b>'} ${i}`, `${10 + i}.50`, {
    brand: ['Sonvara', 'Rondure', 'Auralis'][i % 3],
    source: i % 4 === 0 ? 'shop_b' : 'shop_a',
    category_path: ['Home', i % 2 === 0 ? 'Kettles' : 'Toasters', i % 6 === 0 ? 'Glass' : 'Steel'],
    rating: 2 + (i % 4),
    is_available: i % 5 !== 0,
  }),
);

const SETTINGS = { publicUrl: 'http://catalogue.example', hasExplorer: true };

if (hasBrowser) {
  describe('InstantSearch widgets on the catalogue', function () {
    let api: Api;
    let browser: Browser;
    let page: Page;
    let watched: ReturnType<typeof watchPage>;
    before(async () => {
      api = await startApi({}, [await showcase(SETTINGS)]);
      await api.load(CATALOGUE);
      browser = await launchBrowser();
    });
    after(async () => {
      await browser.close();
      await api.stop();
    });
    beforeEach(async () => {
      page = await browser.newPage();
      watched = watchPage(page, api.url);
      await page.goto(`${api.url}/showcase#${await api.key()}`);
      await page.locator('#hits article').first().waitFor();
    });
    afterEach(async () => {
      assert.deepEqual(watched, { complaints: [], outside: [] });
      await page.close();
    });

    const skus = (): Promise<string[]> =>
      page.evaluate('[...document.querySelectorAll("#hits article")].map(({ dataset }) => dataset.sku)');

    /** Waits until the hits and their number are those that the API returns for a query string. */
    const shows = async (query: string) => {
      const { items, total } = await api.ok(`/v1/search?limit=5&${query}`);
      const expected = JSON.stringify(items.map(({ sku }: { sku: string }) => sku));
      await until(async () => JSON.stringify(await skus()) === expected);
      assert.match(
        await page.locator('#stats').innerText(),
        new RegExp(`^${total} results? found|^${total === 0 ? 'No' : total} result`),
      );
    };

    it('searches with the key that the page states, as the demo does, under the header of the other pages', async () => {
      const router = await showcase({ ...SETTINGS, key: await api.key() });
      await page.route(`${api.url}/showcase`, async (route) => {
        const server = express().use(router).listen(0);
        const { port } = server.address() as AddressInfo;
        await route.fulfill({ response: await route.fetch({ url: `http://127.0.0.1:${port}/showcase` }) });
        server.close();
      });
      await page.goto('about:blank');
      await page.goto(`${api.url}/showcase`);
      await shows('');
      // The widgets are those of InstantSearch, which the page does not change.
      const violations = (await axeViolations(page)).filter((one) => !one.includes('class="ais-'));
      assert.deepEqual(violations, []);
      const links = page.locator('header.top nav a');
      assert.deepEqual(
        await links.evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
        LINKS.map(([path]) => path),
      );
    });

    it('shows why a search failed, and that its key was refused', async () => {
      await page.route('**/v1/search*', (route) =>
        route.fulfill({ status: 503, json: { detail: 'Not now' } }),
      );
      await page.fill('#box input', 'electric');
      await page.locator('[role="alert"]:has-text("Not now")').waitFor();
      await page.unroute('**/v1/search*');
      await page.fill('#box input', 'toaster');
      await shows('q=toaster');
      assert.equal(await page.locator('[role="alert"]').innerText(), '');
      await page.goto('about:blank');
      await page.goto(`${api.url}/showcase`);
      await page.locator('[role="alert"]:has-text("/showcase#KEY")').waitFor();
      assert.equal(watched.complaints.filter((text) => !/503|401/.test(text)).length, 0);
      watched.complaints.length = 0;
    });

    it('hits, stats and the search box show what the API finds, with its highlights', async () => {
      await shows('');
      await page.fill('#box input', 'electric');
      await shows('q=electric');
      const marked = await page.locator('#hits article mark').allInnerTexts();
      assert.deepEqual(marked, Array(5).fill('Electric'));
      await page.fill('#box input', 'toaster');
      await shows('q=toaster');
      assert.match(await page.locator('#hits article').first().innerText(), /^Toaster & <b>kettle<\/b> \d+$/);
    });

    it('the refinement list selects several values, counts without itself, and can be searched', async () => {
      await page.click('#brand label:has-text("Sonvara")');
      await shows('brand=Sonvara');
      await page.click('#brand label:has-text("Auralis")');
      await shows('brand=Sonvara|Auralis');
      const counts = await page.locator('#brand .ais-RefinementList-count').allInnerTexts();
      assert.deepEqual(counts, ['8', '8', '8']);
      await page.fill('#brand input[type="search"]', 'RON');
      await page.locator('#brand mark').waitFor();
      assert.deepEqual(await page.locator('#brand .ais-RefinementList-labelText').allInnerTexts(), [
        'Rondure',
      ]);
      await page.click('#brand label:has-text("Rondure")');
      await shows('brand=Sonvara|Auralis|Rondure');
    });

    it('current refinements name the filters and remove them, one or all', async () => {
      await page.click('#brand label:has-text("Sonvara")');
      await page.click('#source a:has-text("shop_b")');
      await shows('brand=Sonvara&source=shop_b');
      assert.equal(await page.locator('#current .ais-CurrentRefinements-category').count(), 2);
      await page.click('#current .ais-CurrentRefinements-item:has-text("Sonvara") button');
      await shows('source=shop_b');
      await page.click('#clear button');
      await shows('');
    });

    it('the range, the numeric menu, the rating menu and the toggle limit the results', async () => {
      assert.equal(await page.getAttribute('#price input', 'placeholder'), '10');
      await page.fill('#price .ais-RangeInput-input--min', '15');
      await page.fill('#price .ais-RangeInput-input--max', '20');
      await page.click('#price button');
      await shows('min_price=15&max_price=20');
      await page.click('#clear button');
      await page.click('#prices label:has-text("From 25")');
      await shows('min_price=25');
      await page.click('#prices label:has-text("All")');
      const { facets } = await api.ok('/v1/search?facets=rating&limit=1');
      const counts = await page.locator('#rating .ais-RatingMenu-count').allInnerTexts();
      assert.deepEqual(
        counts,
        facets[0].values.map(({ count }: { count: number }) => String(count)),
      );
      await page.click('#rating a[aria-label^="4"]');
      await shows('min_rating=4');
      await page.click('#clear button');
      await page.click('#stock input');
      await shows('in_stock=true');
    });

    it('the sort order and the pages are those of the API', async () => {
      await page.selectOption('#sort select', 'products:price_desc');
      await shows('sort=price_desc');
      await page.click('#pages a:has-text("2")');
      await shows('sort=price_desc&offset=5');
      await page.click('#pages .ais-Pagination-item--lastPage a');
      await shows('sort=price_desc&offset=20');
    });

    it('the hierarchical menu opens level by level, with its siblings, and closes', async () => {
      const menu = async (): Promise<string[]> =>
        (await page.locator('#category .ais-HierarchicalMenu-link').allInnerTexts()).map((text) =>
          text.replace(/\s*(\d+)\s*$/, ' $1'),
        );
      assert.deepEqual(await menu(), ['Home 24']);
      await page.click('#category a:has-text("Home")');
      await shows('category_path=Home');
      // All listings are in this category, so the hits are the same before the answer arrives.
      await page.locator('#category a:has-text("Toasters")').waitFor();
      assert.deepEqual(await menu(), ['Home 24', 'Kettles 12', 'Toasters 12']);
      await page.click('#category a:has-text("Kettles")');
      await shows('category_path=Home > Kettles');
      assert.deepEqual(await menu(), ['Home 24', 'Kettles 12', 'Glass 4', 'Steel 8', 'Toasters 12']);
      await page.click('#category a:has-text("Glass")');
      await shows('category_path=Home > Kettles > Glass');
      await page.click('#category a:has-text("Kettles")');
      await shows('category_path=Home');
    });
  });
}
