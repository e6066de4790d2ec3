// Chaos only (builds, sampled): it opens the page of the documentation in a real browser.
import { assert } from 'chai';
import { LINKS } from '../../src/http/site-header.js';
import { useApi } from '../support/api.js';
import { hasBrowser, launchBrowser, watchPage } from '../support/browser.js';
import { record } from '../support/listings.js';

// The tests need a browser. In CI they always run, and fail if it is missing.
if (hasBrowser) {
  describe('the docs page in a real browser', () => {
    const api = useApi([record({ sku: 'a', name: 'Docs kettle' })]);

    it('shows every operation, without a console error or an outside request, and its "Execute" works', async function () {
      const instance = await launchBrowser();
      try {
        const page = await instance.newPage();
        const { complaints, outside } = watchPage(page, api.url);

        await page.goto(`${api.url}/docs`);
        await page.waitForSelector('.opblock');
        const document = (await api.open('/openapi.json')).body as { paths: Record<string, object> };
        const operations = Object.values(document.paths).flatMap((item) => Object.keys(item));
        assert.equal(await page.locator('.opblock').count(), operations.length);

        assert.include(await page.locator('.info').innerText(), 'Quick start');

        // The explorer has the same links.
        const views = await page.locator('header.top nav a').allInnerTexts();
        assert.deepEqual(
          views,
          LINKS.map(([, label]) => label),
        );
        assert.equal(await page.locator('header.top [aria-current="page"]').innerText(), 'API');

        await page.click('[id^="operations-Prices-"][id$="-priceHistorySvg"] .opblock-summary-control');
        const picture = page.locator('img[src="/docs/price-history.svg"]');
        await picture.waitFor();
        await page.waitForFunction('document.images[0]?.naturalWidth > 0');

        await page.click('.btn.authorize');
        await page.waitForFunction('document.activeElement?.id === "auth-bearer-value"');
        await page.fill(
          'input[aria-label="auth-bearer-value"], .auth-container input[type="text"]',
          await api.key(),
        );
        await page.click('.auth-btn-wrapper .authorize');
        await page.click('.btn-done');
        await page.click('#operations-Listings-search .opblock-summary-control');
        await page.fill('tr[data-param-name="q"] input', 'kettle');
        await page.click('#operations-Listings-search .execute');
        const answer = page.locator('#operations-Listings-search .live-responses-table');
        await answer.locator('.response').waitFor();
        assert.include(await answer.innerText(), 'Docs kettle');
        const sent = await page.locator('#operations-Listings-search .request-url').innerText();
        assert.notInclude(sent, 'facet_q');

        // The key is kept for this browser tab, but not for another tab, and not after it was removed. The tab leaves the page
        // and returns by a link to an operation. Each time that the page is shown takes seconds of CPU time.
        const links = (await api.open('/llms.txt')).text.match(/\/docs#[^)]*/g) ?? [];
        assert.equal(new Set(links).size, operations.length);
        const [deals = ''] = links.filter((link) => link.endsWith('/deals'));
        await page.goto('about:blank');
        await page.goto(`${api.url}${deals}`);
        await page.waitForSelector('#operations-Listings-deals.is-open');
        const ids = new Set<string>(
          await page.evaluate("[...document.querySelectorAll('.opblock')].map(({ id }) => id)"),
        );
        for (const link of links) {
          const [, tag = '', id = ''] = /#\/(.*)\/(.*)$/.exec(link) ?? [];
          assert.isTrue(ids.has(`operations-${decodeURIComponent(tag)}-${id}`), link);
        }
        await page.click('#operations-Service-apiRoot .opblock-summary-control');
        await page.click('#operations-Service-apiRoot .execute');
        const status = page.locator('#operations-Service-apiRoot .live-responses-table .response-col_status');
        assert.match(await status.last().innerText(), /^200/);

        const stored = 'JSON.stringify([sessionStorage.length, localStorage.length])';
        const other = await instance.newPage();
        await other.goto(`${api.url}/docs/start.js`);
        assert.equal(await other.evaluate(stored), '[0,0]');
        assert.equal(await page.evaluate(stored), '[1,0]');
        await page.click('.btn.authorize');
        await page.click('.auth-btn-wrapper button.btn:not(.btn-done)');
        assert.equal(await page.evaluate('sessionStorage.length'), 0);

        assert.deepEqual(complaints, []);
        assert.deepEqual(outside, []);
      } finally {
        await instance.close();
      }
    });
  });
}
