import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { parse } from 'yaml';
import { DASHBOARD_FILE, grafanaDashboard, readPanels } from '../../tools/grafana.js';
import { pluck } from '../support/listings.js';

const { service, engines } = readPanels();

describe('the dashboard of Grafana', () => {
  it('is what npm run grafana generates', () => {
    const made = JSON.parse(JSON.stringify(grafanaDashboard([...service, ...engines])));
    assert.deepEqual(JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8')), made);
  });

  it('has panels with unique titles that fit the page and do not overlap', () => {
    const { panels } = grafanaDashboard([...service, ...engines]) as { panels: any[] };
    assert.lengthOf(new Set(panels.map(({ id }) => id)), panels.length);
    const titles = panels.filter(({ type }) => type !== 'row').map(({ title }) => title);
    assert.lengthOf(new Set(titles), titles.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      const { x, y, w, h } = gridPos;
      assert.isAtMost(x + w, 24, title);
      for (let column = x; column < x + w; column += 1)
        for (let line = y; line < y + h; line += 1) {
          assert.isFalse(taken.has(`${column} ${line}`), title);
          taken.add(`${column} ${line}`);
        }
    }
  });

  it('uses the provisioned Prometheus', () => {
    const file = 'docker/monitoring/grafana/provisioning/datasources/prometheus.yml';
    const { datasources } = parse(readFileSync(file, 'utf8')) as { datasources: { uid: string }[] };
    assert.deepEqual(pluck(datasources, 'uid'), ['prometheus']);
  });
});
