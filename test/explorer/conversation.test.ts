// Chaos only (builds): it shows the page of prices in a real browser.
import { assert } from 'chai';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { type Agent, connectAgent } from '../support/agent.js';
import { useApi } from '../support/api.js';
import { hasBrowser, launchBrowser, watchPage } from '../support/browser.js';
import { groupListings, offer, pluck } from '../support/listings.js';
import { until } from '../support/until.js';

const HOSTILE = '<img src="http://evil.example/x" onerror="parent.postMessage(1)"><script>alert(1)</script>';

/** The start of the period, in which the listing had two prices. */
const FROM = '2026-01-01T00:00:00Z';

/** A host by SEP-1865: it shows the page in a frame without an origin, and answers its messages. */
const HOST = `<!doctype html>
<iframe id="view" sandbox="allow-scripts" width="700" height="600"></iframe>
<script>
  const view = document.getElementById('view');
  const post = (message) => view.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  let call;
  window.received = [];
  window.post = post;
  window.show = (html, given) => {
    call = given;
    window.received = [];
    view.srcdoc = html;
  };
  addEventListener('message', async ({ source, data }) => {
    if (source !== view.contentWindow) return;
    window.received.push(data);
    const { id, method, params } = data;
    if (method === 'ui/initialize')
      post({
        id,
        result: {
          protocolVersion: '2026-01-26',
          hostInfo: { name: 'test', version: '1' },
          hostCapabilities: call.capabilities,
          hostContext: { theme: 'dark', styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } } },
        },
      });
    if (method === 'ui/notifications/initialized') {
      post({ method: 'ui/notifications/tool-input', params: { arguments: call.args } });
      post({ method: 'ui/notifications/tool-result', params: call.result });
    }
    if (method === 'tools/call') post({ id, result: await window.callTool(params) });
    if (method === 'ui/open-link') post({ id, result: {} });
  });
</script>`;

if (hasBrowser) {
  describe('the page of prices in a conversation', () => {
    const kettle = (price: string, at: string) =>
      offer('a', `Kettle ${HOSTILE}`, price, {
        gtin: '4006381333931',
        buy_url: 'https://shop.example/a',
        last_checked: at,
        is_available: true,
      });
    const api = useApi([
      kettle('30.00', '2026-01-02T00:00:00Z'),
      offer('b', 'Kettle of B', '28.00', { source: 'shop_b', gtin: '4006381333931' }),
    ]);
    let agent: Agent;
    let browser: Browser;
    let page: Page;
    let html = '';
    let frame: FrameLocator;
    let watched: ReturnType<typeof watchPage>;
    let id = 0;
    before(async () => {
      await api.load([kettle('25.00', '2026-02-02T00:00:00Z')]);
      await groupListings(api, ['a', 'b']);
      id = await api.id('a');
      agent = await connectAgent(api.url, `Bearer ${await api.key()}`, 'each request');
      const { tools } = await agent.client.listTools();
      const { _meta } = tools.find(({ name }) => name === 'get_price_history') ?? {};
      const uri = (_meta?.['ui'] as { resourceUri: string }).resourceUri;
      const [content] = (await agent.client.readResource({ uri })).contents;
      html = content !== undefined && 'text' in content ? content.text : '';
      browser = await launchBrowser();
      page = await browser.newPage();
      // Pages without an address have the origin `null`.
      watched = watchPage(page, 'null');
      await page.exposeFunction('callTool', (params: { name: string; arguments: Record<string, unknown> }) =>
        agent.client.callTool(params),
      );
      await page.setContent(HOST);
      frame = page.frameLocator('#view');
    });
    after(async () => {
      await browser.close();
      await agent.close();
    });

    const show = async (name: string, args: Record<string, unknown>, capabilities: object) => {
      const result = await agent.client.callTool({ name, arguments: args });
      const given = JSON.stringify({ args, result, capabilities });
      await page.evaluate(`show(${JSON.stringify(html)}, ${given})`);
    };
    const received = async (method: string): Promise<any[]> =>
      ((await page.evaluate('received')) as any[]).filter((message) => message.method === method);

    it('plots a price history, and asks the host for what a compact result lacks', async () => {
      await show('get_price_history', { product_id: id, from: FROM }, { serverTools: {} });
      await frame.getByRole('heading', { name: HOSTILE }).waitFor();
      await frame.locator('canvas').waitFor();
      await frame.getByText('Prices as a table').click();
      const rows = await frame.locator('tbody tr').allInnerTexts();
      assert.deepEqual(
        rows.map((row) => row.split('\t')[1]),
        ['SGD 30.00', 'SGD 25.00'],
      );
      assert.match(await frame.locator('.numbers').innerText(), /Now\s+SGD 25\.00/);
      const calls = pluck(await received('tools/call'), 'params');
      assert.sameDeepMembers(calls, [
        { name: 'get_product', arguments: { product_id: id } },
        {
          name: 'get_price_history',
          arguments: { product_id: id, from: FROM, interval: 'raw', view: 'full' },
        },
      ]);
      await until(async () => (await received('ui/notifications/size-changed')).length > 0);
    });

    it('has the colours of the host, and follows their change', async () => {
      const style = (property: string) =>
        frame
          .locator('html')
          .evaluate(
            (html, name) => (globalThis as any).getComputedStyle(html).getPropertyValue(name),
            property,
          );
      assert.equal(await style('color-scheme'), 'dark');
      assert.equal(await style('color'), 'rgb(1, 2, 3)');
      await page.evaluate(
        "post({ method: 'ui/notifications/host-context-changed', params: { theme: 'light' } })",
      );
      await until(async () => (await style('color-scheme')) === 'light');
    });

    it('lists offers, whose shops the host opens', async () => {
      await show('get_offers', { product_id: id }, { openLinks: {} });
      await frame
        .getByRole('heading', { name: HOSTILE })
        .or(frame.getByText('2 offers of 2 shops'))
        .first()
        .waitFor();
      assert.lengthOf(await frame.locator('.spread li').all(), 2);
      assert.include(await frame.locator('table').innerText(), HOSTILE);
      await frame.getByRole('button', { name: 'Shop A' }).click();
      await until(async () => (await received('ui/open-link')).length === 1);
      assert.deepEqual((await received('ui/open-link'))[0].params, { url: 'https://shop.example/a' });
    });

    it('shows what it has if the host allows nothing, and the text of an error', async () => {
      await show('get_price_history', { product_id: id, from: FROM }, {});
      await frame.getByText('SGD 30.00').first().waitFor();
      assert.isEmpty(await frame.locator('canvas').all());
      await show('get_offers', { product_id: 1 }, {});
      await frame.getByText('get_offers cannot answer that').waitFor();
    });

    it('answers the host, ignores other windows, requests nothing and breaks no policy', async () => {
      await page.evaluate("post({ id: 'last', method: 'ui/resource-teardown', params: {} })");
      await until(async () =>
        ((await page.evaluate('received')) as any[]).some(({ id: of }) => of === 'last'),
      );
      assert.deepEqual(watched, { complaints: [], outside: [] });
    });
  });
}
