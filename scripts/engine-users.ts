/** npm run engine-users: creates roles, users and indices in an Elasticsearch with security; see --help. */
import type { Client } from '@elastic/elasticsearch';
import { ensureCatalogue } from '../src/engine/indices.js';
import { Backoff } from '../src/engine/backoff.js';
import { enforceRetention } from '../src/telemetry/events/retention.js';
import { EVENT_KINDS, eventStream, prepareStream, type Storage } from '../src/telemetry/events/streams.js';
import { withSecretFiles } from '../src/platform/config/secret-files.js';
import { apiRole, dataRole, monitoringRole, restoreRole } from './shared/engine-roles.js';
import { command, type Io } from './shared/command.js';
import { type CommandEngine, connectEngine, reachEngine } from './shared/engine.js';
import { UsageError } from './shared/exit.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'engine-users',
  about: `Creates what the service needs in an Elasticsearch with security: the roles and users of the API and of the data team's
commands, the password of Kibana's own user, the first product index, and the index templates of events, which neither user
may change. Run it again after an update of the service, or after a password has changed; it changes nothing else. docker
compose up runs it automatically.`,
  options: {},
  notes: `  API_USERNAME, API_PASSWORD
      the user of the API, who reads listings and adds events
  DATA_USERNAME, DATA_PASSWORD
      the user of the other commands, who has all privileges on these indices
  KIBANA_PASSWORD
      the password of kibana_system; if not set, it is not changed
  MONITORING_USERNAME, MONITORING_PASSWORD
      the user of the Prometheus exporter, who reads no documents; if not set, it is not created
  RESTORE_USERNAME, RESTORE_PASSWORD
      the user of backup and restore, who has the privileges of the data user and may
      restore snapshots; if not set, it is not created
  PARTNERS
      on: the API may also write listings, for POST /v1/listings (off)
  REVIEWERS
      on: the API may also store decisions and write groups, for POST /v1/decisions (off)

Each password may be read from a file instead: API_PASSWORD_FILE and so on.

Elasticsearch is the one at ELASTICSEARCH_URL, with ELASTICSEARCH_CA_FILE, and with the ELASTICSEARCH_USERNAME and
ELASTICSEARCH_PASSWORD of a user who may manage security, such as elastic. INDEX_PREFIX (catalog) is the prefix of the roles.`,
  run: (_given, env, io) => makeUsers(readUsers(withSecretFiles(env, PASSWORDS)), env, io),
});

const PASSWORDS = ['API', 'DATA', 'KIBANA', 'MONITORING', 'RESTORE'].map((user) => `${user}_PASSWORD`);

/** How long to wait for Elasticsearch in milliseconds, because it may just have been started. */
const WAIT_MS = 300_000;
const MIN_PASSWORD_LENGTH = 16;

interface EngineUser {
  username: string;
  password: string;
}

/** Reads the users from the environment. Error messages name a variable, but never quote its value. */
function readUsers(env: NodeJS.ProcessEnv) {
  const given = (name: string): string => {
    const value = env[name];
    if (!value) throw new UsageError(`Set ${name}.`);
    return value;
  };
  const password = (name: string): string => {
    const value = given(name);
    if (value.length >= MIN_PASSWORD_LENGTH) return value;
    throw new UsageError(`${name} must have at least ${MIN_PASSWORD_LENGTH} characters.`);
  };
  const isOn = (name: string): boolean => {
    const value = env[name] || 'off';
    if (['on', 'off'].includes(value)) return value === 'on';
    throw new UsageError(`${name} must be on or off, not "${value}".`);
  };
  const user = (name: string): EngineUser => ({
    username: given(`${name}_USERNAME`),
    password: password(`${name}_PASSWORD`),
  });
  return {
    partners: isOn('PARTNERS'),
    reviewers: isOn('REVIEWERS'),
    api: user('API'),
    data: user('DATA'),
    kibanaPassword: env['KIBANA_PASSWORD'] ? password('KIBANA_PASSWORD') : null,
    monitoring: env['MONITORING_PASSWORD'] ? user('MONITORING') : null,
    restore: env['RESTORE_PASSWORD'] ? user('RESTORE') : null,
  };
}

async function makeUsers(
  users: ReturnType<typeof readUsers>,
  env: NodeJS.ProcessEnv,
  { out, err }: Io,
): Promise<void> {
  const engine = connectEngine(env);
  const print = (line: string) => void out.write(`${line}\n`);
  const { es, indexPrefix, indexLayout, events } = engine;
  try {
    const backoff = new Backoff({ giveUpAfterMs: WAIT_MS, onWait: (note) => err.write(`${note}\n`) });
    // Elasticsearch's index of users becomes available a little later than the node itself.
    await backoff.retry(() => es.cluster.health({ wait_for_status: 'yellow', timeout: '30s' }));
    await reachEngine(engine);
    const storage = events === null ? null : await prepareEvents(es, indexPrefix, events);
    if (storage !== null)
      print(`events: created templates for ${storage === 'data stream' ? 'data streams' : storage}`);
    print(await makeUser(es, `${indexPrefix}-api`, apiRole(indexPrefix, storage, users), users.api));
    print(await makeUser(es, `${indexPrefix}-data`, dataRole(indexPrefix), users.data));
    if (users.monitoring !== null)
      print(await makeUser(es, `${indexPrefix}-monitoring`, monitoringRole, users.monitoring));
    if (users.restore !== null)
      print(await makeUser(es, `${indexPrefix}-restore`, restoreRole(indexPrefix), users.restore));
    if (users.kibanaPassword !== null) {
      await es.security.changePassword({ username: 'kibana_system', password: users.kibanaPassword });
      print('kibana_system: password set');
    }
    if (await ensureCatalogue(es, indexPrefix, indexLayout)) print('created the product index');
  } finally {
    await es.close();
  }
}

/** Creates the templates and data streams of events, so that no other user needs that privilege. */
async function prepareEvents(
  es: Client,
  indexPrefix: string,
  { retentionDays, maxBytes }: NonNullable<CommandEngine['events']>,
): Promise<Storage> {
  let storage: Storage = 'daily indices';
  for (const kind of EVENT_KINDS) {
    const stream = eventStream(kind, { indexPrefix, retentionDays });
    storage = await prepareStream(es, stream);
    // Status 400 is ignored, because the data stream usually exists already.
    if (storage === 'data stream')
      await es.indices.createDataStream({ name: stream.name }, { ignore: [400] });
    await enforceRetention(es, stream, storage, { maxBytes, now: new Date() });
  }
  return storage;
}

async function makeUser(
  es: Client,
  role: string,
  privileges: ReturnType<typeof apiRole>,
  { username, password }: EngineUser,
): Promise<string> {
  await es.security.putRole({ name: role, ...privileges });
  await es.security.putUser({ username, password, roles: [role] });
  return `${username}: user with the role ${role}`;
}

await start(import.meta.url, main);
