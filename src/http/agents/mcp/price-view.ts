import { shippedText } from '../../../platform/shipped-files.js';

/** The extension MCP Apps (SEP-1865), by which hosts show a page of this server beside the result of a tool. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** The page that shows prices: `tools/explorer.mjs` bundles it from `explorer/src/conversation`. */
export const PRICE_VIEW = {
  uri: 'ui://catalogue/prices.html',
  name: 'prices',
  title: 'A plot of prices, for hosts that show pages in conversations',
  mimeType: 'text/html;profile=mcp-app',
  _meta: { ui: { prefersBorder: true } },
};

let page: string | undefined;

/** Returns the HTML of the page, which is the same for all results. @throws ShippedFileError if the bundle is missing. */
export const priceViewPage = (): string => (page ??= shippedText('explorer/built/prices.html'));
