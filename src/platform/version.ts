import { shippedJson } from './shipped-files.js';

/** The package file, to which tools/pack.mjs adds `revision` when it makes the build. */
const shipped = shippedJson('package.json') as { version: string; revision?: string };

export const SERVICE_NAME = 'product-catalogue';

export const SERVICE_VERSION = shipped.version;

/** The version of the Elastic Common Schema that logs and events follow. */
export const ECS_VERSION = '9.0.0';

/** The git commit of the build, with `-dirty` if there were changes; `unknown` without a build. */
export const SERVICE_REVISION = shipped.revision ?? 'unknown';
