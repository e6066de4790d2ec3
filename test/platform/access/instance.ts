/** A process with a small app of its own: node --import tsx test/platform/access/instance.ts REDIS_URL PREFIX; says where it listens. */
import { connected, startSmallApp } from './small-app.js';

const [redisUrl = '', prefix = ''] = process.argv.slice(2);
const app = await startSmallApp({ redisUrl, prefix });
await connected(app.redis);
process.send?.(app.url);
process.once('disconnect', () => void app.close());
