import { shippedJson } from './shipped-files.js';

/** `revision` is added by tools/pack.mjs, which makes the build. */
const shipped = shippedJson('package.json') as { version: string; revision?: string };

/** What the service calls itself in logs, events and metrics. */
export const SERVICE_NAME = 'product-catalogue';

/** The version in package.json. */
export const SERVICE_VERSION = shipped.version;

/**
 * The git commit that was built, with `-dirty` where the tree had uncommitted changes. `unknown` where no build was made
 * (`npm run dev`), or where the build had neither git nor the variable REVISION.
 */
export const SERVICE_REVISION = shipped.revision ?? 'unknown';
