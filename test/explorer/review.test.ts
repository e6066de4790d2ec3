// Chaos only (builds): it opens the review desk in a real browser.
import { assert } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { main as link } from '../../scripts/link.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { hasBrowser, launchBrowser, watchPage } from '../support/browser.js';
import { outputOf } from '../support/command.js';
import { offer } from '../support/listings.js';

const GTIN = '4006381333931';
const HOSTILE = '<script>document.title="attacked"</script>';

if (hasBrowser) {
  describe('the review desk', () => {
    const api = useApi([
      offer('c', `Borealis studio lamp ${HOSTILE}`, '20.00', {
        source: 'shop_c',
        brand: 'Borealis',
        gtin: GTIN,
      }),
      offer('d', 'Corvus desk lamp', '21.00', { source: 'shop_d', brand: 'Corvus', gtin: GTIN }),
    ]);
    let browser: Browser;
    let page: Page;
    let watched: ReturnType<typeof watchPage>;
    before(async () => {
      await outputOf(link, api.prefix);
      const { body } = await api.open('/v1/keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          developer_id: 'ann',
          name: 'review',
          tier: 'premium',
          admin_secret: ADMIN_SECRET,
          scopes: ['review'],
        }),
      });
      browser = await launchBrowser();
      page = await browser.newPage();
      watched = watchPage(page, api.url);
      await useKey(body.raw_key as string);
    });
    after(() => browser.close());

    const useKey = (key: string) =>
      page.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
    const offers = async () =>
      ((await api.ok(`/v1/products/${await api.id('c')}/offers`)).offers as unknown[]).length;
    const outcome = (text: string) => page.getByText(text, { exact: true }).waitFor();

    it('shows two listings side by side as text, and hides the opinion of the matcher', async () => {
      await page.goto(`${api.url}/review`);
      await page.locator('.desk-pair').waitFor();
      assert.include(await page.locator('.desk-pair').innerText(), HOSTILE);
      assert.notStrictEqual(await page.title(), 'attacked');
      const text = await page.locator('main').innerText();
      assert.include(text, 'Both state the same GTIN.');
      for (const opinion of ['The matcher', 'their makers differ']) assert.notInclude(text, opinion);
    });

    it('stores a decision at a key press, shows what follows from it, and undoes it', async () => {
      assert.strictEqual(await offers(), 2, 'the shared GTIN makes them one product');
      await page.keyboard.press('d');
      await outcome('They are two products now.');
      assert.include(
        await page.locator('.desk-history').innerText(),
        'They share a GTIN, but their makers differ',
      );
      assert.strictEqual(await offers(), 1);
      await page.keyboard.press('u');
      await outcome('Undone.');
      await page.locator('.desk-pair').waitFor();
      assert.strictEqual(await offers(), 2);
      await page.keyboard.press('s');
      await outcome('They are one product, as before.');
      await page.getByRole('link', { name: 'All decisions' }).click();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      assert.include(await page.locator('table').innerText(), 'Shop C');
    });

    it('says which key it needs', async () => {
      await useKey(await api.key());
      await page.goto(`${api.url}/review`);
      await page.getByRole('button', { name: 'Use another key' }).waitFor();
      const expected = /status of 403/;
      assert.deepEqual(
        watched.complaints.filter((text) => !expected.test(text)),
        [],
      );
      assert.deepEqual(watched.outside, []);
    });
  });
}
