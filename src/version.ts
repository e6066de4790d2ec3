import { shippedJson } from './files.js';

/** What the service calls itself in logs, events and metrics. */
export const SERVICE_NAME = 'product-catalogue';

/** The version in package.json. */
export const SERVICE_VERSION = (shippedJson('package.json') as { version: string }).version;
