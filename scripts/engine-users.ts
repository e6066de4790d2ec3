/** npm run engine-users: roles, users and the first index in a secured Elasticsearch; see --help. */
import { parseArgs } from 'node:util';
import type { Client } from '@elastic/elasticsearch';
import { ConfigError } from '../src/config-error.js';
import { ensureCatalogue } from '../src/catalogue/indices.js';
import { Backoff } from '../src/elasticsearch/backoff.js';
import { withSecretFiles } from '../src/secret-files.js';
import { type CommandEngine, connectEngine, reachEngine } from './shared/engine.js';
import { enforceRetention } from '../src/observability/events/retention.js';
import {
  EVENT_KINDS,
  eventStream,
  prepareStream,
  type Storage,
} from '../src/observability/events/streams.js';
import { apiRole, dataRole } from './engine-users/roles.js';
import { CommandError, fail } from './shared/terminal.js';

const HELP = `npm run engine-users

Makes, in an Elasticsearch with security, what the others need: the role and user of the API, those of the data team's
commands, the password of Kibana's own user, the first product index, and the templates of the events' indices, which
neither of the two may change. Run it again after an update, or after a password has changed; it changes nothing else. docker compose up runs it by itself.

  API_USERNAME, API_PASSWORD      the API: reads products, adds request events, and no more
  DATA_USERNAME, DATA_PASSWORD    ingest, reindex, images, events: everything in this service's indices
  KIBANA_PASSWORD                 of kibana_system; left out: its password stays as it is
                                  (each may stand in a file instead: API_PASSWORD_FILE and so on)
  --help

Elasticsearch is the one of ELASTICSEARCH_URL, with ELASTICSEARCH_CA_FILE, and ELASTICSEARCH_USERNAME and
ELASTICSEARCH_PASSWORD of one who may manage security, such as elastic. INDEX_PREFIX (catalog) names the roles.
Exit code: 0 done, 1 failed.
`;

const PASSWORDS = ['API_PASSWORD', 'DATA_PASSWORD', 'KIBANA_PASSWORD'];

/** Elasticsearch may have just been started. */
const WAIT_MS = 300_000;
const MIN_PASSWORD_LENGTH = 16;

interface User {
  username: string;
  password: string;
}

interface Users {
  api: User;
  data: User;
  kibanaPassword: string | null;
}

/** @throws CommandError naming what is missing or too short; never its value. */
function readUsers(env: NodeJS.ProcessEnv): Users {
  const given = (name: string): string => {
    const value = env[name];
    if (!value) throw new CommandError(`Set ${name}; see --help.`);
    return value;
  };
  const password = (name: string): string => {
    const value = given(name);
    if (value.length >= MIN_PASSWORD_LENGTH) return value;
    throw new CommandError(`${name} must have at least ${MIN_PASSWORD_LENGTH} characters.`);
  };
  return {
    api: { username: given('API_USERNAME'), password: password('API_PASSWORD') },
    data: { username: given('DATA_USERNAME'), password: password('DATA_PASSWORD') },
    kibanaPassword: env['KIBANA_PASSWORD'] ? password('KIBANA_PASSWORD') : null,
  };
}

async function run(users: Users): Promise<void> {
  const engine = connectEngine();
  const { es, indexPrefix, events } = engine;
  try {
    const backoff = new Backoff({
      giveUpAfterMs: WAIT_MS,
      onWait: (note) => process.stderr.write(`${note}\n`),
    });
    // The index of users comes up a little later than the node itself.
    await backoff.retry(() => es.cluster.health({ wait_for_status: 'yellow', timeout: '30s' }));
    await reachEngine(engine);
    const storage = events === null ? null : await prepareEvents(es, indexPrefix, events);
    await makeUser(es, `${indexPrefix}-api`, apiRole(indexPrefix, storage), users.api);
    await makeUser(es, `${indexPrefix}-data`, dataRole(indexPrefix), users.data);
    if (users.kibanaPassword !== null) {
      await es.security.changePassword({ username: 'kibana_system', password: users.kibanaPassword });
      console.log('kibana_system: password set');
    }
    if (await ensureCatalogue(es, indexPrefix)) console.log('created the product index');
  } finally {
    await es.close();
  }
}

/** Templates, and with data streams these themselves: then nobody else need make any. */
async function prepareEvents(
  es: Client,
  indexPrefix: string,
  events: NonNullable<CommandEngine['events']>,
): Promise<Storage> {
  const { retentionDays, maxBytes } = events;
  let storage: Storage = 'daily indices';
  for (const kind of EVENT_KINDS) {
    const stream = eventStream(kind, { indexPrefix, retentionDays });
    storage = await prepareStream(es, stream);
    // It exists already, as a rule.
    if (storage === 'data stream')
      await es.indices.createDataStream({ name: stream.name }, { ignore: [400] });
    await enforceRetention(es, stream, storage, { maxBytes, now: new Date() });
  }
  console.log(`events: templates put, for ${storage === 'data stream' ? 'data streams' : storage}`);
  return storage;
}

async function makeUser(
  es: Client,
  role: string,
  privileges: ReturnType<typeof apiRole>,
  { username, password }: User,
): Promise<void> {
  await es.security.putRole({ name: role, ...privileges });
  await es.security.putUser({ username, password, roles: [role] });
  console.log(`${username}: user with the role ${role}`);
}

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) console.log(HELP.trimEnd());
  else await run(readUsers(withSecretFiles(process.env, PASSWORDS)));
} catch (error) {
  fail(error instanceof ConfigError ? new CommandError(error.message) : error);
}
