/** npm run kibana: data views and dashboards for Kibana; see --help. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../src/config.js';
import { withSecretFiles } from '../src/secret-files.js';
import { importObjects, inSpace, type KibanaAccess, requireSpace, waitUntilReady } from './kibana/client.js';
import { savedObjects, toNdjson } from './kibana/saved-objects.js';
import { CommandError, fail, fromCaller } from './shared/terminal.js';

const HELP = `npm run kibana

Loads the data views and the dashboards Catalogue, Traffic, and Prices and deals into Kibana 9.1 or newer, over those
of an earlier run: changes that somebody made to them there are lost. Prints where the dashboards are.

  --space ID        the Kibana space to load them into; the default one by default
  --wait SECONDS    how long to wait for a Kibana that is starting; 60 by default
  --out FILE        write them as NDJSON instead, for Kibana's own import; - is standard output
  --help

  KIBANA_URL        http://localhost:5601 by default; with its base path, where it has one
  KIBANA_API_KEY, or KIBANA_USERNAME and KIBANA_PASSWORD
  INDEX_PREFIX      (catalog) must be that of the service: it is part of every id, so several can share one Kibana
  NODE_EXTRA_CA_CERTS  PEM file of a private authority, as with every Node program

Exit code: 0 done, 1 failed.
`;

const URL_DEFAULT = 'http://localhost:5601';

interface Options {
  indexPrefix: string;
  kibana: KibanaAccess;
  waitMs: number;
  /** null: into Kibana. */
  out: string | null;
}

/** @returns null when only help is wanted. @throws CommandError when the command line or a variable makes no sense. */
function parse(args: string[], env: NodeJS.ProcessEnv): Options | null {
  const values = parseCommandLine(args);
  if (values.help === true) return null;
  const { space = 'default', wait = '60', out = null } = values;
  if (!/^[a-z0-9_-]{1,100}$/.test(space)) {
    throw new CommandError(
      `--space is the id of a space (lower-case letters, digits, _ and -), not "${space}".`,
    );
  }
  if (!/^\d{1,4}$/.test(wait)) throw new CommandError(`--wait is a whole number of seconds, not "${wait}".`);
  if (out === '') throw new CommandError('--out needs the name of a file.');
  return {
    indexPrefix: readConfig({ INDEX_PREFIX: env['INDEX_PREFIX'] }).indexPrefix,
    kibana: { url: kibanaUrl(env['KIBANA_URL']?.trim() || URL_DEFAULT), authorization: login(env), space },
    waitMs: Number(wait) * 1000,
    out,
  };
}

function parseCommandLine(args: string[]) {
  try {
    const options = {
      space: { type: 'string' },
      wait: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

function kibanaUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new CommandError('KIBANA_URL must be an address that starts with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommandError('KIBANA_URL must not hold a login: set KIBANA_USERNAME and KIBANA_PASSWORD.');
  }
  return text.replace(/(?<!\/)\/+$/, '');
}

function login(env: NodeJS.ProcessEnv): string | null {
  const { KIBANA_API_KEY: apiKey, KIBANA_USERNAME: username, KIBANA_PASSWORD: password } = env;
  if (apiKey) return `ApiKey ${apiKey}`;
  if (!username && !password) return null;
  if (!username) throw new CommandError('KIBANA_USERNAME must be set beside KIBANA_PASSWORD.');
  if (!password) throw new CommandError('KIBANA_PASSWORD must be set beside KIBANA_USERNAME.');
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function load({ kibana, indexPrefix, waitMs }: Options): Promise<void> {
  await waitUntilReady(kibana, {
    giveUpAfterMs: waitMs,
    onWait: (reason) => {
      console.error(`Waiting for Kibana at ${kibana.url} (${reason})`);
    },
  });
  await requireSpace(kibana);
  const imported = await importObjects(kibana, toNdjson(savedObjects(indexPrefix)));
  const dashboards = imported.filter(({ type }) => type === 'dashboard');
  console.log(
    `Loaded ${imported.length - dashboards.length} data views and ${dashboards.length} dashboards:`,
  );
  for (const { id, title } of dashboards) {
    console.log(`  ${title}  ${inSpace(kibana, `/app/dashboards#/view/${encodeURIComponent(id)}`)}`);
  }
}

function write(file: string, ndjson: string): void {
  if (file === '-') {
    process.stdout.write(ndjson);
    return;
  }
  try {
    writeFileSync(fromCaller(file), ndjson);
  } catch (error) {
    throw new CommandError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  console.error(`${file}: import it in Kibana under Stack Management, Saved Objects`);
}

try {
  const options = parse(
    process.argv.slice(2),
    withSecretFiles(process.env, ['KIBANA_API_KEY', 'KIBANA_PASSWORD']),
  );
  if (options === null) console.log(HELP.trimEnd());
  else if (options.out !== null) write(options.out, toNdjson(savedObjects(options.indexPrefix)));
  else await load(options);
} catch (error) {
  fail(error instanceof ConfigError ? new CommandError(error.message) : error);
}
