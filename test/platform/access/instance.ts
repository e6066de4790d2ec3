/**
 * node --import tsx test/platform/access/instance.ts REDIS_URL PREFIX: starts a small app in a process of its
 * own, and prints its address.
 */
import { connected, startSmallApp } from './small-app.js';

const [redisUrl = '', prefix = ''] = process.argv.slice(2);
const app = await startSmallApp({ redisUrl, prefix });
await connected(app.redis);
process.send?.(app.url);
process.once('disconnect', () => void app.close());
