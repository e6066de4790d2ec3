import { assert } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { useApi } from '../support/api.js';
import { hasBrowser, launchBrowser, watchPage } from '../support/browser.js';
import { groupListings, offer } from '../support/listings.js';

const mixer = (sku: string, price: string, source: string, isAvailable: boolean | null) =>
  offer(sku, `Veltri mixer MX-${sku.slice(0, 2)}00 steel`, price, {
    brand: 'Veltri',
    category: 'Mixers',
    category_path: ['Home', 'Kitchen', 'Mixers'],
    source,
    is_available: isAvailable,
    last_checked: '2026-02-20T00:00:00Z',
    buy_url: `https://shop.example/${sku}`,
  });

const CATALOGUE = [
  mixer('m1a', '24.00', 'shop_a', true),
  // The lowest price is that of an offer which is out of stock.
  mixer('m1b', '14.00', 'shop_b', false),
  mixer('m2a', '22.50', 'shop_a', true),
  mixer('m2b', '29.00', 'shop_b', true),
  mixer('m3a', '11.00', 'shop_a', false),
  mixer('m3b', '12.00', 'shop_b', false),
  mixer('m4a', '23.00', 'shop_c', null),
];

if (hasBrowser) {
  describe('a shopper in a real browser', function () {
    this.timeout(300_000);
    const api = useApi(CATALOGUE);
    let browser: Browser;
    let key: string;
    before(async () => {
      key = await api.key();
      for (const product of ['m1', 'm2', 'm3']) await groupListings(api, [`${product}a`, `${product}b`]);
      browser = await launchBrowser();
    });
    after(() => browser.close());

    /** Opens a view on a phone, and checks that it complains about nothing unless it is expected to. */
    async function onPhone(path: string, use: (page: Page) => Promise<void>, complains = false) {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        const { complaints, outside } = watchPage(page, api.url);
        await page.goto(`${api.url}${path}`);
        await use(page);
        if (!complains) assert.deepEqual(complaints, []);
        assert.deepEqual(outside, []);
      } finally {
        await context.close();
      }
    }

    const card = (page: Page, model: string) => page.locator('.card', { hasText: `MX-${model}00` });

    it('sees the price of the best offer of each product, and what is out of stock', async () => {
      await onPhone('/explore?q=mixer', async (page) => {
        await card(page, 'm1').waitFor();
        const text = await card(page, 'm1').innerText();
        assert.match(text, /In stock\s+SGD 24\.00\s+at Shop A · 2 offers in 2 shops/);
        assert.notInclude(text, '14.00');
        assert.match(await card(page, 'm3').innerText(), /Out of stock\s+SGD 11\.00/);
        assert.match(await card(page, 'm4').innerText(), /Stock unknown\s+SGD 23\.00\s+Only at Shop C/);
      });
    });

    it('sees the offer that passes the filters if the best one does not', async () => {
      for (const [filter, price, shop] of [
        ['source=shop_b', '29.00', 'Shop B'],
        ['min_price=25', '29.00', 'Shop B'],
        ['max_price=25', '22.50', 'Shop A'],
      ])
        await onPhone(`/explore?q=mixer&${filter}`, async (page) => {
          const shown = page.locator('.card', { hasText: 'MX-m200' });
          assert.include(await shown.innerText(), `SGD ${price}\n\nat ${shop}`, filter);
        });
    });

    it('reads prices in order', async () => {
      await onPhone('/explore?q=mixer&sort=price_asc', async (page) => {
        await card(page, 'm1').waitFor();
        assert.deepEqual(await page.locator('.card .amount').allInnerTexts(), [
          'SGD 22.50',
          'SGD 23.00',
          'SGD 24.00',
          'SGD 11.00',
        ]);
      });
    });
  });
}
