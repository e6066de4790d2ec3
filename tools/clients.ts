import { writeFileSync } from 'node:fs';
import { buildTypescriptClient } from './clients/typescript.js';
import { POSTMAN_FILE, postmanCollection } from './clients/postman.js';
import { command } from '../scripts/shared/command.js';
import { start } from '../scripts/shared/start.js';

export const main = command({
  name: 'clients',
  about: `Makes from the OpenAPI document what clients of the API use: docs/catalogue.postman_collection.json, which is kept in the
repository, and the types and \`dist\` of clients/typescript, which are not: npm pack ./clients/typescript then packs it.`,
  options: {},
  exits: { done: 'all is made' },
  async run(_given, _env, { err }) {
    writeFileSync(POSTMAN_FILE, `${JSON.stringify(postmanCollection(), null, 2)}\n`);
    await buildTypescriptClient();
    err.write('Made docs/catalogue.postman_collection.json and clients/typescript/dist\n');
  },
});

await start(import.meta.url, main);
