// Chaos only (builds): it opens the review desk in a real browser.
import { assert } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { main as link } from '../../scripts/link.js';
import { ADMIN_SECRET, type Api, useApi } from '../support/api.js';
import { axeViolations, hasBrowser, launchBrowser, overflow, watchPage } from '../support/browser.js';
import { outputOf } from '../support/command.js';
import { offer } from '../support/listings.js';
import { until } from '../support/until.js';

const GTIN = '4006381333931';
const HOSTILE = '<script>document.title="attacked"</script>';

/** Creates a key with the scope `review`. */
async function reviewKey(api: Api): Promise<string> {
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
  return body.raw_key as string;
}

if (hasBrowser) {
  describe('the review desk', () => {
    const api = useApi([
      offer('c', `Borealis studio lamp ${HOSTILE}`, '20.00', {
        source: 'shop_c',
        brand: 'Borealis',
        gtin: GTIN,
        description: `${'It gives warm light. '.repeat(60)}The last sentence.`,
        metadata: { capacity: '250 ml' },
      }),
      offer('d', 'Corvus desk lamp', '21.00', { source: 'shop_d', brand: 'Corvus', gtin: GTIN }),
    ]);
    let browser: Browser;
    let page: Page;
    let watched: ReturnType<typeof watchPage>;
    before(async () => {
      await outputOf(link, api.prefix);
      browser = await launchBrowser();
      page = await browser.newPage();
      watched = watchPage(page, api.url);
      await useKey(await reviewKey(api));
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
      for (const opinion of ['By the matcher', 'their makers differ']) assert.notInclude(text, opinion);
      assert.include(text, 'whether these two listings are shown as one product or as two');
    });

    it('shows what is read from the names, whole descriptions, and what counts as the same product', async () => {
      const sizes = await page.locator('.desk-pair tr:has-text("Sizes, as read")').innerText();
      assert.match(sizes, /250 ml/);
      assert.match(sizes, /not stated/);
      const pair = page.locator('.desk-pair');
      assert.notInclude(await pair.innerText(), 'The last sentence.');
      await page.getByRole('button', { name: 'Show all' }).click();
      assert.include(await pair.innerText(), 'The last sentence.');
      await page.getByText('What counts as the same product?').click();
      await page.getByText('A set for another country').waitFor();
      await page.getByText('What counts as the same product?').click();
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
      assert.equal(await page.locator('main > .note').innerText(), '1 decision.');
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

  describe('the review desk with several pairs', function () {
    this.timeout(300_000);
    // Each pair shares a GTIN, and is of two makers.
    const gtins = ['4006381333931', '4012345678901', '4023456789011', '5012345678900'];
    const api = useApi(
      gtins.flatMap((gtin, i) => [
        offer(`a${i}`, `Borealis studio lamp BL-${i}00`, '20.00', {
          source: 'shop_a',
          brand: 'Borealis',
          gtin,
        }),
        offer(`b${i}`, `Corvus desk lamp CV-${i}00`, '21.00', { source: 'shop_b', brand: 'Corvus', gtin }),
      ]),
    );
    let browser: Browser;
    let key: string;
    before(async () => {
      await outputOf(link, api.prefix);
      key = await reviewKey(api);
      browser = await launchBrowser();
    });
    after(() => browser.close());

    /** Opens the desk in a tab of its own, passes its page to `use`, and checks that nothing was complained about. */
    async function desk(
      use: (page: Page) => Promise<void>,
      { path = '/review', width = 1280, scheme = 'light' as 'light' | 'dark' } = {},
    ) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      try {
        await context.addInitScript(`sessionStorage.setItem('catalogue-key', ${JSON.stringify(key)})`);
        const page = await context.newPage();
        const { complaints, outside } = watchPage(page, api.url);
        await page.goto(`${api.url}${path}`);
        await use(page);
        assert.deepEqual([...complaints.filter((text) => !text.includes('status of 503')), ...outside], []);
      } finally {
        await context.close();
      }
    }

    const names = (page: Page) => page.locator('.desk-pair .desk-name').allInnerTexts();
    const read = async <T>(path: string): Promise<T> =>
      (await (await fetch(`${api.url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).json()) as T;
    const decided = async () =>
      (await read<{ items: { decision: string; note: string | null }[] }>('/v1/decisions')).items;
    const pairIsNot = (page: Page, [name = '']: string[]) =>
      page.locator('.desk-pair', { hasNotText: name }).waitFor();
    const undone = async (page: Page) => {
      await page.keyboard.press('u');
      await page.getByText('Undone.', { exact: true }).first().waitFor();
    };

    async function assertAccessible(page: Page, state: string) {
      assert.deepEqual(await axeViolations(page), [], state);
      assert.isAtMost(await overflow(page), 0, state);
    }

    it('shows the next pair before the decision is stored, and sends a decision again if the service is busy', async () => {
      await desk(async (page) => {
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        let sent = 0;
        await page.route('**/v1/decisions', async (route) => {
          await held;
          if ((sent += 1) === 1) await route.fulfill({ status: 503, json: { detail: 'Busy' } });
          else await route.continue();
        });
        await page.locator('.desk-pair').waitFor();
        const first = await names(page);
        await page.keyboard.press('k');
        await pairIsNot(page, first);
        const second = await names(page);
        await page.keyboard.press('k');
        await pairIsNot(page, second);
        assert.strictEqual(await page.locator('.desk-history .note').first().innerText(), 'Being skipped …');
        assert.match(
          await page.locator('.desk-head [role="status"]').innerText(),
          /2 pairs left · 2 skipped$/,
        );
        release();
        await page.getByText('The pair is no longer in your queue.').nth(1).waitFor();
        await until(async () => (await decided()).length === 2);
        await desk(
          async (list) => {
            await list.getByRole('table').waitFor();
            assert.match(await list.locator('main > .note').innerText(), /^2 pairs skipped\./);
          },
          { path: '/review/decisions' },
        );
        await undone(page);
        await undone(page);
      });
    });

    it('sends the decisions of a busy moment together, also if the desk is left, with the notes to them', async () => {
      // What the test before has undone may still be missing for a moment.
      await until(async () => (await read<{ open: number }>('/v1/review')).open === gtins.length);
      const different = async () => (await decided()).filter(({ decision }) => decision === 'different');
      await desk(async (page) => {
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        const sizes: number[] = [];
        await page.route('**/v1/decisions', async (route) => {
          sizes.push((route.request().postDataJSON() as { decisions: unknown[] }).decisions.length);
          await held;
          await route.continue();
        });
        await page.locator('.desk-pair').waitFor();
        for (let pair = 1; pair <= 3; pair += 1) {
          const shown = await names(page);
          if (pair === 2) {
            await page.getByLabel('Note to the next decision').fill('Their makers differ.');
            await page.keyboard.press('Enter');
          }
          await page.keyboard.press('d');
          await pairIsNot(page, shown);
        }
        await page.evaluate("dispatchEvent(new Event('pagehide'))");
        await until(() => Promise.resolve(sizes.length === 2));
        assert.deepEqual(sizes, [1, 2]);
        release();
        await until(async () => (await different()).length === 3);
        const stored = await different();
        await page.locator('.desk-history', { hasNotText: 'Being stored' }).waitFor();
        assert.deepEqual(
          stored.flatMap(({ note }) => note ?? []),
          ['Their makers differ.'],
        );
        for (let pair = 1; pair <= 3; pair += 1) {
          await page.keyboard.press('u');
          await page
            .getByText('Undone.', { exact: true })
            .nth(pair - 1)
            .waitFor();
        }
      });
    });

    it('shows the pair on a phone without scrolling', async () => {
      await desk(
        async (page) => {
          const box = await page.locator('.desk-pair .desk-name').first().boundingBox();
          assert.isBelow((box?.y ?? 900) + (box?.height ?? 0), 844);
          await page.getByRole('button', { name: 'Filters' }).click();
          await page.getByLabel('Shop').waitFor();
          await page.getByRole('button', { name: 'Show the pairs' }).click();
        },
        { width: 390 },
      );
    });

    it('has letter keys that can be switched off, which the browser remembers', async () => {
      await desk(async (page) => {
        const setting = page.getByRole('checkbox', { name: 'Letter keys decide' });
        await setting.uncheck();
        const first = await names(page);
        for (const letter of ['s', 'd', 'k', 'u']) await page.keyboard.press(letter);
        assert.deepEqual(await names(page), first);
        assert.strictEqual(await page.locator('.desk-history, kbd, [aria-keyshortcuts]').count(), 0);
        await page.reload();
        await page.locator('.desk-pair').waitFor();
        assert.isFalse(await setting.isChecked());
        await page.keyboard.press('k');
        assert.deepEqual(await names(page), first);
        await page.getByRole('button', { name: 'Skip' }).click();
        await pairIsNot(page, first);
        await page.getByText('The pair is no longer in your queue.').waitFor();
        // The setting keeps the focus, and the keys act although it is a field.
        await setting.check();
        await undone(page);
        assert.deepEqual(await names(page), first);
      });
    });

    for (const scheme of ['light', 'dark'] as const)
      for (const width of [390, 820, 1280])
        it(`is accessible, ${scheme}, ${width} pixels wide`, async () => {
          const look = { width, scheme };
          await desk(async (page) => {
            await page.locator('.desk-pair').waitFor();
            await page.getByText('What counts as the same product?').click();
            await assertAccessible(page, 'a pair');
            await page.keyboard.press('d');
            await page.getByText('They are two products now.', { exact: true }).waitFor();
            await assertAccessible(page, 'a decision');
            await undone(page);
            await assertAccessible(page, 'an undone decision');
          }, look);
          const nothing = async (page: Page) => {
            await page.getByText('No pair is left with these filters').waitFor();
            await assertAccessible(page, 'no pair with these filters');
          };
          await desk(nothing, { ...look, path: '/review?category=none' });
        });

    it('can undo the last decision when no pair is left', async () => {
      await desk(async (page) => {
        for (let left = gtins.length; left > 0; left -= 1) {
          await page.getByText(`${left} pair${left === 1 ? '' : 's'} left`).waitFor();
          await page.keyboard.press('s');
        }
        await page.getByText('No pair is left.').waitFor();
        await page
          .getByText('They are one product, as before.')
          .nth(gtins.length - 1)
          .waitFor();
        await assertAccessible(page, 'an empty queue');
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.locator('.desk-pair').waitFor();
        await page.getByText('Undone.', { exact: true }).waitFor();
      });
      await desk(
        async (page) => {
          await page.getByRole('table').waitFor();
          await assertAccessible(page, 'all decisions');
        },
        { path: '/review/decisions', width: 390 },
      );
    });
  });
}
