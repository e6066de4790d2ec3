/** npm run kibana: imports data views and dashboards into Kibana; see --help. */
import { writeFileSync } from 'node:fs';
import { readConfig } from '../src/platform/config/config.js';
import { withSecretFiles } from '../src/platform/config/secret-files.js';
import {
  importObjects,
  inSpace,
  type KibanaAccess,
  requireSpace,
  waitUntilReady,
} from './dashboards/kibana-client.js';
import { savedObjects, toNdjson } from './dashboards/saved-objects.js';
import { command, type Io } from './shared/command.js';
import { CommandError, UsageError } from './shared/exit.js';
import { parsed, preset, text, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';
import { fromCaller } from './shared/terminal.js';

export const main = command({
  name: 'kibana',
  about: `Imports the data views and the dashboards Catalogue, Traffic, Prices and deals, Quality, and Keys into Kibana 9.1 or newer.
It overwrites those of an earlier run, including changes that somebody made in Kibana. It prints the addresses of the
dashboards.`,
  options: {
    space: parsed('ID', 'the Kibana space; the default space by default', spaceId),
    wait: preset(
      wholeNumber('how long to wait for a Kibana that is starting', { min: 0, max: 9_999 }, 'SECONDS'),
      60,
    ),
    out: text('FILE', "write an NDJSON file for Kibana's own import instead; - is standard output"),
  },
  notes: `  KIBANA_URL           http://localhost:5601 by default; includes the base path, if there is one
  KIBANA_API_KEY       or KIBANA_USERNAME and KIBANA_PASSWORD, or files of them (…_FILE)
  INDEX_PREFIX         that of the service (catalog), part of every id in Kibana
  NODE_EXTRA_CA_CERTS  PEM file of a private certificate authority, as for every Node program`,
  async run({ options: { space = 'default', wait, out } }, env, io) {
    const { indexPrefix } = readConfig({ INDEX_PREFIX: env['INDEX_PREFIX'] });
    const url = kibanaUrl(env['KIBANA_URL']?.trim() || URL_DEFAULT);
    const authorization = login(withSecretFiles(env, ['KIBANA_API_KEY', 'KIBANA_PASSWORD']));
    const kibana = { url, authorization, space };
    const ndjson = toNdjson(savedObjects(indexPrefix));
    if (out === undefined) await load(ndjson, kibana, wait * 1000, io);
    else write(out, ndjson, io);
  },
});

const URL_DEFAULT = 'http://localhost:5601';

function spaceId(id: string): string {
  if (/^[a-z0-9_-]{1,100}$/.test(id)) return id;
  throw new UsageError(`--space is the id of a space (lower-case letters, digits, _ and -), not "${id}".`);
}

function kibanaUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError('KIBANA_URL must be an address that starts with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('KIBANA_URL must not contain a password: set KIBANA_USERNAME and KIBANA_PASSWORD.');
  }
  return text.replace(/(?<!\/)\/+$/, '');
}

function login(env: NodeJS.ProcessEnv): string | null {
  const { KIBANA_API_KEY: apiKey, KIBANA_USERNAME: username, KIBANA_PASSWORD: password } = env;
  if (apiKey) return `ApiKey ${apiKey}`;
  if (!username && !password) return null;
  if (!username) throw new UsageError('KIBANA_USERNAME must be set together with KIBANA_PASSWORD.');
  if (!password) throw new UsageError('KIBANA_PASSWORD must be set together with KIBANA_USERNAME.');
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function load(
  ndjson: string,
  kibana: KibanaAccess,
  giveUpAfterMs: number,
  { out, err }: Io,
): Promise<void> {
  const onWait = (reason: string) => void err.write(`Waiting for Kibana at ${kibana.url} (${reason})\n`);
  await waitUntilReady(kibana, { giveUpAfterMs, onWait });
  await requireSpace(kibana);
  const imported = await importObjects(kibana, ndjson);
  const dashboards = imported.filter(({ type }) => type === 'dashboard');
  out.write(
    `Loaded ${imported.length - dashboards.length} data views and ${dashboards.length} dashboards:\n`,
  );
  for (const { id, title } of dashboards) {
    out.write(`  ${title}  ${inSpace(kibana, `/app/dashboards#/view/${encodeURIComponent(id)}`)}\n`);
  }
}

function write(file: string, ndjson: string, { out, err }: Io): void {
  if (file === '-') {
    out.write(ndjson);
    return;
  }
  try {
    writeFileSync(fromCaller(file), ndjson);
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  err.write(`${file}: import it in Kibana under Stack Management, Saved Objects\n`);
}

await start(import.meta.url, main);
