import { assert } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { buildSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import { useApi } from '../support/api.js';
import { axeViolations, hasBrowser, launchBrowser, overflow, watchPage } from '../support/browser.js';
import { daysAgo, groupListings, offer, pastPrices } from '../support/listings.js';
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

const lamp = (sku: string, price: string, source: string, fields: Record<string, unknown> = {}) =>
  offer(sku, `Ostrel lamp LD-${sku.slice(0, 2)}00 brass`, price, {
    brand: 'Ostrel',
    category: 'Lamps',
    source,
    is_available: true,
    last_checked: daysAgo(1),
    ...fields,
  });

const kettle = (sku: string, price: string, source: string, name: string, fields = {}) =>
  offer(sku, name, price, {
    brand: 'Zorelle',
    category: 'Kettles',
    source,
    is_available: true,
    last_checked: daysAgo(1),
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
  // Of the first, the offer with the lowest price costs more with delivery; of the second, one delivery price is not known.
  lamp('d1a', '20.00', 'shop_a', { rating: 4.6, delivery: { price: '4.90', currency: 'SGD' } }),
  lamp('d1b', '21.00', 'shop_b', { rating: 3.1, delivery: { price: '1.50', currency: 'SGD' } }),
  lamp('d2a', '20.00', 'shop_a', { delivery: { price: '4.90', currency: 'SGD' } }),
  lamp('d2b', '23.00', 'shop_b'),
  // A deal by its own prices, whose name is in another script than that of its other offer.
  kettle('z7a', '30.00', 'shop_a', 'Zorelle 水壶 KZ-700 钢', {
    price_history: pastPrices(['60.00', 60], ['30.00', 1]),
  }),
  kettle('z7b', '29.00', 'shop_b', 'Zorelle kettle KZ-700 steel'),
  kettle('z8a', '31.00', 'shop_a', 'Zorelle 水壶 KZ-800 钢', { rating: 4 }),
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
      for (const product of ['m1', 'm2', 'm3', 'd1', 'd2', 'z7'])
        await groupListings(api, [`${product}a`, `${product}b`]);
      const { es, prefix: indexPrefix, products } = api;
      await buildSuggestions({ es, indexPrefix, products, requests: null, now: new Date() });
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
        assert.match(text, /SGD 24\.00\s+In stock\s+at Shop A · 2 offers in 2 shops/);
        assert.notInclude(text, '14.00');
        assert.match(await card(page, 'm3').innerText(), /SGD 11\.00\s+Out of stock/);
        assert.match(await card(page, 'm4').innerText(), /SGD 23\.00\s+Stock unknown\s+Only at Shop C/);
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
          assert.include(await shown.innerText(), `SGD ${price} In stock\n\nat ${shop}`, filter);
        });
    });

    it('reads prices in order', async () => {
      await onPhone('/explore?q=mixer&brand=Veltri&sort=price_asc', async (page) => {
        await card(page, 'm1').waitFor();
        assert.deepEqual(await page.locator('.card .amount .price').allInnerTexts(), [
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
        await page.getByRole('link', { name: 'Watching below SGD 20.50' }).waitFor();
        assert.equal(await page.locator('dialog[open]').count(), 0);
        assert.deepEqual(await axeViolations(page), []);
        await page.goto(`${api.url}/explore/watched`);
        await page
          .locator('.watched li', { hasText: 'below SGD 20.50' })
          .getByText(/now from SGD 24\.00 in 2 shops/)
          .waitFor();
        await page.getByRole('button', { name: 'Stop watching' }).tap();
        await page.getByText('Not watched any more.').waitFor();
        await page.reload();
        await page.getByText('No price is watched yet.').waitFor();
      });
    });

    it('is told after a reload, and on the page of another offer, that a product is watched, and stops', async () => {
      const when = { price_below: '9.50', currency: 'SGD' };
      const headers = { authorization: `Bearer ${key}` };
      const watch = async (sku: string, scope: string) => {
        const body = { product_id: await api.id(sku), scope, when };
        assert.equal((await api.post('/v1/alerts', body, { headers })).status, 201);
      };
      await watch('m1b', 'product');
      // It does not watch the other offers.
      await watch('m2b', 'listing');
      await onPhone(`/explore/products/${await api.id('m1a')}`, async (page) => {
        await page.getByRole('link', { name: 'Watching below SGD 9.50' }).waitFor();
        await page.getByRole('button', { name: 'Stop watching' }).tap();
        await page.getByRole('button', { name: 'Watch price' }).waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Watch price' }).waitFor();
        await page.waitForLoadState('networkidle');
        assert.equal(await page.getByText('Watching below').count(), 0);
        await page.goto(`${api.url}/explore/products/${await api.id('m2a')}`);
        await page.getByRole('button', { name: 'Watch price' }).waitFor();
        await page.waitForLoadState('networkidle');
        assert.equal(await page.getByText('Watching below').count(), 0);
        await page.goto(`${api.url}/explore/products/${await api.id('m2b')}`);
        await page.getByRole('button', { name: 'Stop watching' }).tap();
        await page.getByRole('button', { name: 'Watch price' }).waitFor();
      });
    });

    it('searches by the limit that was typed last, and is told if one in the words does not apply', async () => {
      await onPhone('/explore?q=mixer&max_price=50', async (page) => {
        await page.locator('.place-sort select').waitFor();
        const type = async (text: string) => {
          await page.fill('[role="combobox"]', text);
          await page.keyboard.press('Enter');
        };
        await type('mixer under 23');
        await page.locator('.understood :text("at most SGD 23")').waitFor();
        await page.waitForURL(/\?q=mixer\+under\+23$/);
        await until(async () => (await page.locator('.ais-CurrentRefinements-item').count()) === 0);
        // One of them has another offer within the limit.
        await until(async () => (await page.locator('.card').count()) === 4);
        await page.goto(`${api.url}/explore?q=mixer&min_price=22`);
        await page.locator('.place-sort select').waitFor();
        // Both limits can apply.
        await type('mixer under 23');
        await page.waitForURL(/\?q=mixer\+under\+23&min_price=22$/);
        await until(async () => (await page.locator('.card').count()) === 2);
        await type('mixer under 13');
        await page.waitForURL(/\?q=mixer\+under\+13$/);
        await page.locator('.understood :text("at most SGD 13")').waitFor();
        // Nobody knows which of the two in an address is the newer one.
        await page.goto(`${api.url}/explore?q=mixer+under+23&max_price=50`);
        await page.getByText('“under 23” does not apply').waitFor();
        assert.match(await page.locator('.chosen').innerText(), /≤ 50/);
        assert.deepEqual(await axeViolations(page), []);
        await page.getByRole('button', { name: 'Apply it instead' }).tap();
        await page.waitForURL(/\?q=mixer\+under\+23$/);
        await page.locator('.understood :text("at most SGD 23")').waitFor();
        assert.equal(await page.getByText('does not apply').count(), 0);
      });
    });

    it('sees of similar products the lowest offer and the number of shops', async () => {
      await onPhone(`/explore/products/${await api.id('m4a')}`, async (page) => {
        const tile = page.locator('section:has(#similar-title) li:has-text("in 2 shops")').first();
        const text = await tile.innerText();
        const prices: Record<string, string> = { m1: '24.00', m2: '22.50', m3: '11.00' };
        assert.include(text, `from SGD ${prices[/MX-(..)/.exec(text)?.[1] ?? '']} in 2 shops`);
      });
    });

    it('reads the name of a product in the script of the page, if any of its shops has one', async () => {
      const title = 'Zorelle kettle KZ-700 steel';
      await onPhone(`/explore/products/${await api.id('z7a')}`, async (page) => {
        await page.locator('h1', { hasText: 'Zorelle kettle KZ-700' }).waitFor();
        assert.notMatch(await page.locator('header.lead').innerText(), /\p{Script=Han}/u);
      });
      await onPhone(`/explore/products/${await api.id('z8a')}`, async (page) => {
        await page.locator('h1', { hasText: '水壶' }).waitFor();
      });
      for (const [path, heading] of [
        ['/explore?q=', 'h2'],
        ['/explore/deals', 'h2'],
        ['/explore', '.deals h3'],
      ] as const)
        await onPhone(path, async (page) => {
          await page.locator(heading, { hasText: title }).first().waitFor();
        });
      // Words in that script ask for names in it.
      await onPhone('/explore?q=%E6%B0%B4%E5%A3%B6', async (page) => {
        await page.locator('.card h2', { hasText: '水壶 KZ-700' }).waitFor();
      });
    });

    it('reads whose a rating is', async () => {
      await onPhone(`/explore/products/${await api.id('d1a')}`, async (page) => {
        await page.locator('.lead .facts', { hasText: '★ 3.1 to 4.6 of 5 in 2 shops' }).waitFor();
        const rows = page.locator('table.offers tbody tr');
        assert.match(await rows.filter({ hasText: 'Shop A' }).innerText(), /★ 4\.6/);
        assert.match(await rows.filter({ hasText: 'Shop B' }).innerText(), /★ 3\.1/);
      });
      await onPhone(`/explore/products/${await api.id('z8a')}`, async (page) => {
        await page.locator('.lead .facts', { hasText: '★ 4.0 of 5 at Shop A' }).waitFor();
      });
    });

    it('reads what the reduction of a deal is measured by, and where it is cheaper', async () => {
      await onPhone('/explore/deals', async (page) => {
        const text = await card(page, 'm2').innerText();
        assert.match(text, /SGD 22\.50\s+50 % below the 45\.00 that this shop states\s+The best of 2 offers/);
        const observed = page.locator('.card', { hasText: 'KZ-700' });
        assert.match(
          await observed.innerText(),
          /50 % below this shop’s usual price of 60\.00\s+The best of 2 offers: SGD 29\.00 at Shop B/,
        );
        assert.equal(await page.getByText('−').count(), 0);
      });
    });

    it('sees the offer first that costs least with delivery, and what is compared', async () => {
      const shops = (page: Page) => page.locator('table.offers th[scope="row"] strong').allInnerTexts();
      await onPhone(`/explore/products/${await api.id('d1a')}`, async (page) => {
        await page.getByText('Lowest of 2 offers with delivery').waitFor();
        assert.deepEqual(await shops(page), ['Shop B', 'Shop A']);
        const best = await page.locator('.best').innerText();
        assert.match(best, /SGD 21\.00[^]*at Shop B · SGD 22\.50 with delivery/);
        assert.match(await page.locator('tr.selected').innerText(), /Shop B\s+Lowest with delivery/);
        // Alerts add no delivery.
        await page.getByRole('button', { name: 'Watch price' }).tap();
        assert.equal(await page.locator('.watch input').inputValue(), '20.00');
        assert.isAtMost(await overflow(page), 0);
      });
      // The delivery price of the other offer is not known.
      await onPhone(`/explore/products/${await api.id('d2a')}`, async (page) => {
        await page.getByText('Lowest of 2 offers, with delivery where stated').waitFor();
        assert.deepEqual(await shops(page), ['Shop B', 'Shop A']);
        assert.match(await page.locator('tr.selected').innerText(), /Shop B\s+Lowest price/);
        assert.include(await page.locator('.best').innerText(), 'at Shop B · delivery not stated');
      });
      await onPhone(`/explore/products/${await api.id('m2a')}`, async (page) => {
        await page.getByText('Lowest of 2 offers, none states delivery').waitFor();
      });
    });

    it('searches from the page of a product', async () => {
      await onPhone(`/explore/products/${await api.id('m1a')}`, async (page) => {
        await page.fill('[role="combobox"]', 'bowl');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/explore\?q=bowl$/);
        await page.locator('.card', { hasText: 'Bowl of glass' }).waitFor();
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
        await card(page, 'm2').getByText('50 % below what this shop states').waitFor();
      });
    });

    it('sees deals that are out of stock last, or not at all', async () => {
      await onPhone('/explore/deals', async (page) => {
        await card(page, 'm3').waitFor();
        const models = async () =>
          (await page.locator('.card h2').allInnerTexts()).flatMap((name) => /MX-(..)/.exec(name)?.[1] ?? []);
        assert.deepEqual(await models(), ['m2', 'm3']);
        await page.getByRole('button', { name: 'Filters' }).tap();
        await page.getByLabel('In stock only').tap();
        await page.getByRole('button', { name: 'Show deals' }).tap();
        await until(async () => (await models()).join() === 'm2');
        assert.deepEqual(await axeViolations(page), []);
      });
    });

    it('sees since when and of which offers there are prices', async () => {
      await onPhone(`/explore/products/${await api.id('m1a')}`, async (page) => {
        await page.getByText(/^Observed since .*, also of those that are out of stock now\.$/).waitFor();
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
