import { assert } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { useApi } from '../support/api.js';
import { axeViolations, hasBrowser, launchBrowser, watchPage } from '../support/browser.js';
import { daysAgo, groupListings, offer } from '../support/listings.js';
import { until } from '../support/until.js';

const mixer = (
  sku: string,
  price: string,
  source: string,
  isAvailable: boolean | null,
  fields: Record<string, unknown> = {},
) =>
  offer(sku, `Veltri mixer MX-${sku.slice(0, 2)}00 steel`, price, {
    brand: 'Veltri',
    category: 'Mixers',
    category_path: ['Home', 'Kitchen', 'Mixers'],
    source,
    is_available: isAvailable,
    last_checked: daysAgo(1),
    buy_url: `https://shop.example/${sku}`,
    ...fields,
  });

const CATALOGUE = [
  mixer('m1a', '24.00', 'shop_a', true),
  // The lowest price is that of an offer which is out of stock.
  mixer('m1b', '14.00', 'shop_b', false),
  mixer('m2a', '22.50', 'shop_a', true, { list_price: '45.00' }),
  mixer('m2b', '29.00', 'shop_b', true),
  mixer('m3a', '11.00', 'shop_a', false, { list_price: '44.00' }),
  mixer('m3b', '12.00', 'shop_b', false),
  mixer('m4a', '23.00', 'shop_c', null),
  // It has the word, and is of another category.
  offer('b1', 'Bowl of glass that fits mixers', '90.00', {
    category: 'Bowls',
    category_path: ['Home', 'Bowls'],
  }),
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
      await onPhone('/explore?q=mixer&brand=Veltri&sort=price_asc', async (page) => {
        await card(page, 'm1').waitFor();
        assert.deepEqual(await page.locator('.card .amount').allInnerTexts(), [
          'SGD 22.50',
          'SGD 23.00',
          'SGD 24.00',
          'SGD 11.00',
        ]);
      });
    });

    /** Opens the sheet of filters. */
    async function openFilters(page: Page) {
      await page.locator('.place-sort select').waitFor();
      await page.getByRole('button', { name: 'Filters' }).tap();
      await page.locator('.sheet:modal').waitFor();
    }

    it('filters by a price that was typed, also with a decimal comma, without pressing Apply', async () => {
      await onPhone('/explore?q=mixer', async (page) => {
        await openFilters(page);
        await page.getByRole('textbox', { name: 'Highest price' }).fill('abc');
        await page.getByRole('textbox', { name: 'Lowest price' }).fill('22,75');
        await page.locator('.sheet :text("“abc” is not a price")').waitFor();
        await page.getByRole('textbox', { name: 'Highest price' }).fill('23.5');
        assert.deepEqual(await axeViolations(page), []);
        await page.getByRole('button', { name: /^Show \d/ }).tap();
        await page.waitForURL(/min_price=22.75&max_price=23.5$/);
        await until(async () => (await page.locator('.card').count()) === 1);
        assert.equal(await page.locator('.sheet:modal').count(), 0);
      });
    });

    it('sees the limit that the words state, and replaces it', async () => {
      await onPhone('/explore?q=mixer+between+20+and+23', async (page) => {
        await openFilters(page);
        const highest = page.getByRole('textbox', { name: 'Highest price' });
        assert.equal(await highest.inputValue(), '23');
        assert.equal(await page.getByRole('textbox', { name: 'Lowest price' }).inputValue(), '20');
        await highest.fill('25');
        await page.getByRole('button', { name: /^Show \d/ }).tap();
        await page.waitForURL(/\?q=mixer&min_price=20&max_price=25$/);
        await until(async () => (await page.locator('.understood li').count()) === 0);
        await card(page, 'm1').waitFor();
      });
    });

    it('closes the filters and the API requests by a tap beside them, which opens nothing behind', async () => {
      await onPhone('/explore?q=mixer', async (page) => {
        await openFilters(page);
        await page.getByRole('button', { name: 'Close filters' }).tap();
        await openFilters(page);
        const address = page.url();
        await page.touchscreen.tap(330, 25);
        await until(async () => (await page.locator('.sheet:modal').count()) === 0);
        assert.equal(await page.locator('dialog[open]').count(), 0);
        assert.equal(page.url(), address);
        await page.setViewportSize({ width: 1280, height: 900 });
        assert.isTrue(await page.locator('.place-brand').isVisible());
        await page.getByRole('button', { name: 'API requests of this view' }).click();
        await page.locator('.drawer:modal').waitFor();
        await page.locator('.home').click({ force: true });
        await until(async () => (await page.locator('.drawer:modal').count()) === 0);
        assert.equal(page.url(), address);
      });
    });

    it('closes the filters by going back', async () => {
      await onPhone('/explore?q=mixer', async (page) => {
        await openFilters(page);
        await page.locator('.place-brand').getByText('Veltri').tap();
        await page.waitForURL(/brand=Veltri$/);
        await page.goBack();
        await page.waitForURL(/\?q=mixer$/);
        await until(async () => (await page.locator('.sheet:modal').count()) === 0);
      });
    });

    it('is told in plain words what is wrong with a price to watch, and that it is watched', async () => {
      await onPhone(`/explore/products/${await api.id('m1a')}`, async (page) => {
        await page.getByRole('button', { name: 'Watch price' }).tap();
        const dialog = page.locator('.watch dialog');
        for (const [typed, message] of [
          ['abc', '“abc” is not a price'],
          ['-5', 'cannot be below zero'],
          ['0', 'above zero'],
          ['24.01', 'It costs less already: SGD 24.00.'],
          ['', 'Write a price'],
          ['1,500', 'is not clear'],
        ] as const) {
          await dialog.locator('input').fill(typed);
          await dialog.getByRole('button', { name: 'Watch' }).tap();
          await dialog.getByRole('alert').filter({ hasText: message }).waitFor();
        }
        await dialog.locator('input').fill('20,50');
        await dialog.getByRole('button', { name: 'Watch' }).tap();
        const status = dialog.getByRole('status').filter({ hasText: 'Watched.' });
        await status.waitFor();
        assert.include(await status.innerText(), 'SGD 20.50');
        const { y = 0, height = 0 } = (await status.boundingBox()) ?? {};
        assert.isTrue(y >= 0 && y + height <= 844, 'it is on the screen');
        assert.deepEqual(await axeViolations(page), []);
        await dialog.getByRole('button', { name: 'Close' }).tap();
        assert.equal(await page.locator('.watch > button').innerText(), 'Watching');
        await page.goto(`${api.url}/explore/watched`);
        await page
          .locator('.watched li', { hasText: 'below SGD 20.50' })
          .getByText(/Now SGD 24\.00 at Shop A/)
          .waitFor();
        await page.getByRole('button', { name: 'Stop watching' }).tap();
        await page.getByText('Not watched any more.').waitFor();
        await page.reload();
        await page.getByText('No price is watched yet.').waitFor();
      });
    });

    it('finds in a category what its tile counts', async () => {
      await onPhone('/explore', async (page) => {
        const tile = page.locator('.tiles a', { hasText: 'Mixers' });
        await tile.waitFor();
        assert.match(await tile.innerText(), /Mixers\s+7 listings/);
        await tile.tap();
        await page.waitForURL(/\?category=Mixers$/);
        await page.locator('.place-sort select').waitFor();
        assert.match(await page.locator('.toolbar').innerText(), /^4 products\s+7 listings/);
        assert.match(await page.locator('.chosen').innerText(), /Category:\s*Mixers/);
        assert.equal(new URL(page.url()).search, '?category=Mixers');
      });
    });

    it('is told the lowest price if none is within the limit, and gets there', async () => {
      for (const search of ['q=mixer+under+SGD+5', 'q=mixer&max_price=5'])
        await onPhone(`/explore?${search}`, async (page) => {
          await page.locator('.nothing :text("from SGD 22.50")').waitFor();
          await page.getByRole('link', { name: 'Without the filter Price' }).tap();
          await page.waitForURL(/\?q=mixer$/);
          await card(page, 'm1').waitFor();
        });
    });

    it('is told which words were corrected, and that products have only some of them', async () => {
      await onPhone('/explore?q=veltri+zeppelin', async (page) => {
        await card(page, 'm1').waitFor();
        await page.locator('.partly:has-text("all of these words")').waitFor();
      });
      await onPhone('/explore?q=veltir+mixer', async (page) => {
        await page.locator('.partly:has-text("Showing results for “veltri mixer”.")').waitFor();
      });
      await onPhone('/explore?q=mixer', async (page) => {
        await card(page, 'm1').waitFor();
        assert.equal(await page.locator('.partly').count(), 0);
      });
    });

    it('is told only why nothing was found', async () => {
      await onPhone('/explore?q=xqzzwv+flurb', async (page) => {
        await page.locator('.nothing:has-text("any of these words")').waitFor();
        assert.equal(await page.locator('.partly').count(), 0);
      });
    });

    it('is told to which kind of product an order is restricted if that leaves out others', async () => {
      for (const [search, isTold] of [
        ['q=mixer&sort=price_asc', true],
        ['q=cheapest+mixer', true],
        ['q=veltri+mixer&sort=price_asc', false],
        ['q=mixer&sort=price_asc&max_price=23', false],
        ['q=cheapest+mixer+under+23', false],
      ] as const)
        await onPhone(`/explore?${search}`, async (page) => {
          await page.locator('.card h2').first().waitFor();
          const remarks = await page.locator('.partly').allInnerTexts();
          assert.deepEqual(
            remarks,
            isTold ? ['In this order, only products of the kind “mixer” are shown.'] : [],
            search,
          );
        });
    });

    it('sees the order that the words name, and chooses another one', async () => {
      await onPhone('/explore?q=cheapest+mixer', async (page) => {
        const select = page.locator('.place-sort select');
        await select.waitFor();
        assert.equal(await select.inputValue(), 'products:price_asc');
        assert.deepEqual(await page.locator('.understood bdi').allInnerTexts(), ['order: lowest price']);
        await select.selectOption({ label: 'Highest price' });
        await page.waitForURL(/\?q=mixer&sort=price_desc$/);
        await until(async () => (await page.locator('.understood li').count()) === 0);
        assert.equal(await select.inputValue(), 'products:price_desc');
        await select.selectOption({ label: 'Largest discount' });
        await card(page, 'm2').getByText('−50 %').waitFor();
      });
    });

    it('sees deals that are out of stock last, or not at all', async () => {
      await onPhone('/explore/deals', async (page) => {
        await card(page, 'm3').waitFor();
        const models = async () =>
          (await page.locator('.card h2').allInnerTexts()).map((name) => /MX-(..)/.exec(name)?.[1]);
        assert.deepEqual(await models(), ['m2', 'm3']);
        await page.getByLabel('In stock only').tap();
        await until(async () => (await models()).join() === 'm2');
        assert.deepEqual(await axeViolations(page), []);
      });
    });

    it('sees since when and of which offers there are prices', async () => {
      await onPhone(`/explore/products/${await api.id('m1a')}`, async (page) => {
        await page.getByText(/^Observed since .*, with those that are out of stock now\.$/).waitFor();
      });
    });

    it('is told that the connection is lost, and gets what was asked for when it is back', async () => {
      await onPhone(
        '/explore?q=mixer',
        async (page) => {
          await page.locator('.place-sort select').waitFor();
          await page.context().setOffline(true);
          await page.fill('[role="combobox"]', 'bowl');
          await page.getByRole('alert').filter({ hasText: 'You are offline.' }).waitFor();
          await page.getByText('These are still the products for “mixer”.').waitFor();
          await page.context().setOffline(false);
          await page.locator('.card', { hasText: 'Bowl of glass' }).waitFor();
          await until(async () => (await page.getByRole('alert').count()) === 0);
          await page.context().setOffline(true);
          await page.getByRole('link', { name: 'Deals' }).tap();
          const alert = page.getByRole('alert').filter({ hasText: 'you are offline' });
          await alert.getByRole('button', { name: 'Try again' }).tap();
          await alert.waitFor();
          await page.context().setOffline(false);
          await page.getByRole('heading', { name: 'Deals' }).waitFor();
        },
        true,
      );
    });
  });
}
