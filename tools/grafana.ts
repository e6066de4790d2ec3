/** npm run grafana: makes Grafana's dashboard of what tools/grafana/panels.ts says; see --help. */
import { writeFileSync } from 'node:fs';
import { command } from '../scripts/shared/command.js';
import { start } from '../scripts/shared/start.js';
import { DASHBOARD_FILE, grafanaDashboard } from './grafana/dashboard.js';
import { ENGINES, SERVICE } from './grafana/panels.js';

export const main = command({
  name: 'grafana',
  about: `Makes ${DASHBOARD_FILE}, which is kept in the repository, of the panels in
tools/grafana/panels.ts.`,
  options: {},
  exits: { done: 'it is made' },
  run(_given, _env, { err }) {
    writeFileSync(DASHBOARD_FILE, `${JSON.stringify(grafanaDashboard([...SERVICE, ...ENGINES]), null, 2)}\n`);
    err.write(`Made ${DASHBOARD_FILE}\n`);
    return Promise.resolve();
  },
});

await start(import.meta.url, main);
