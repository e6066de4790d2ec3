import { readdirSync, readFileSync } from 'node:fs';
import { assert } from 'chai';
import { parse } from 'yaml';
import { COMMANDS } from '../../scripts/shared/commands.js';

const FOLDER = 'docker/systemd';
const files = readdirSync(FOLDER);
const timers = files.filter((name) => name.endsWith('.timer'));

/**
 * Returns the sections of a unit file with their directives and values. @throws Error if a line is neither.
 */
function sectionsOf(file: string): Map<string, [string, string][]> {
  const sections = new Map<string, [string, string][]>();
  let lines: [string, string][] | undefined;
  for (const line of readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, section] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, directive, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) sections.set(section, (lines = []));
    else if (directive !== undefined && lines !== undefined) lines.push([directive, value]);
    else throw new Error(`${file}: "${line}" is no directive of a section`);
  }
  return sections;
}
const valueOf = (file: string, section: string, directive: string) =>
  sectionsOf(file)
    .get(section)
    ?.find(([name]) => name === directive)?.[1];

/**
 * The known directives of each section, from the manual pages systemd.unit(5), systemd.timer(5),
 * systemd.service(5), systemd.exec(5), systemd.kill(5) and systemd.resource-control(5).
 */
const KNOWN: Record<string, string> = {
  Unit: 'Description Documentation Wants After',
  Install: 'WantedBy',
  Timer: 'OnCalendar Persistent Unit',
  Service: `Type ExecStart ExecReload WorkingDirectory Environment EnvironmentFile LoadCredential StateDirectory StateDirectoryMode Restart RestartSec TimeoutStartSec TimeoutStopSec
    MemoryMax LimitNOFILE Nice DynamicUser NoNewPrivileges ProtectSystem ProtectHome PrivateTmp PrivateDevices
    ProtectKernelTunables ProtectKernelModules ProtectKernelLogs ProtectControlGroups ProtectClock ProtectHostname
    ProtectProc RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID LockPersonality
    CapabilityBoundingSet SystemCallArchitectures SystemCallFilter UMask`,
};

/** If systemd is installed, docker/check.sh also verifies the units with systemd itself. */
describe('the systemd units', () => {
  it('have only sections and directives that systemd knows', () => {
    assert.isAbove(files.length, 2);
    for (const file of files)
      for (const [section, lines] of sectionsOf(file)) {
        const known = KNOWN[section]?.split(/\s+/) ?? [];
        for (const [directive] of lines) assert.include(known, directive, `${file}, [${section}]`);
      }
  });

  it('start existing commands, at the times of the chart', () => {
    const { jobs } = parse(readFileSync('charts/product-catalogue/values.yaml', 'utf8')) as {
      jobs: Record<string, { schedule: string; args: string[] }>;
    };
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    const expected = Object.keys(jobs).map((name) => `catalogue-${name}.timer`);
    assert.sameMembers(timers, [...expected, 'catalogue-backup.timer']);
    assert.equal(valueOf('catalogue-backup.timer', 'Timer', 'OnCalendar'), '*-*-* 01:30:00');
    for (const [name, { schedule, args }] of Object.entries(jobs)) {
      const timer = `catalogue-${name}.timer`;
      assert.property(COMMANDS, name);
      assert.deepEqual(args, [name]);
      assert.equal(valueOf(timer, 'Timer', 'Unit'), `catalogue-job@${name}.service`);
      const [minute = '', hour = ''] = schedule.split(' ').map((part) => part.padStart(2, '0'));
      assert.equal(
        valueOf(timer, 'Timer', 'OnCalendar'),
        `*-*-* ${hour === '0*' ? '*' : hour}:${minute}:00`,
        timer,
      );
    }
    const program = '/opt/catalogue/dist/scripts/catalogue.js';
    // The service has the same flags of Node.js everywhere: those of `npm start`, which a signal to npm reaches by `exec`.
    const flags = / exec node (-.+) dist\/src\/main\.js$/.exec(scripts.start)?.[1] ?? 'no flags';
    const image = JSON.stringify([...flags.split(' '), 'dist/src/main.js']).replaceAll(',', ', ');
    assert.include(readFileSync('Dockerfile', 'utf8'), `\nCMD ${image}\n`);
    assert.equal(valueOf('catalogue-job@.service', 'Service', 'ExecStart'), `/usr/bin/node ${program} %i`);
    assert.equal(
      valueOf('catalogue@.service', 'Service', 'ExecStart'),
      `/usr/bin/env PORT=%i /usr/bin/node ${flags} ${program} serve`,
    );
    assert.equal(
      valueOf('catalogue-alerts.service', 'Service', 'ExecStart'),
      `/usr/bin/node ${program} alerts --watch`,
    );
    assert.equal(
      valueOf('catalogue-worker@.service', 'Service', 'ExecStart'),
      `/usr/bin/node ${program} %i --watch`,
    );
    // `catalogue sync` finds the folder `sources` there.
    assert.equal(valueOf('catalogue-worker@.service', 'Service', 'WorkingDirectory'), '/etc/catalogue');
    assert.equal(
      valueOf('catalogue-backup.service', 'Service', 'ExecStart'),
      `/usr/bin/node ${program} backup --to \${BACKUP_TO} --redis /var/lib/catalogue-backup`,
    );
    const documented = readFileSync('docs/operations.md', 'utf8');
    assert.include(documented, 'systemctl enable --now catalogue-alerts\n');
    for (const worker of ['follow-up', 'sync'])
      assert.match(documented, new RegExp(`systemctl enable --now .*catalogue-worker@${worker}\\b`));
    for (const timer of timers)
      assert.include(documented, timer.replace(/\.timer$/, ''), 'how it is enabled');
  });

  it('restrict the access of jobs and alerts to the host as strictly as that of the service', () => {
    const hardening = (file: string) => {
      const lines = sectionsOf(file).get('Service') ?? [];
      return lines.slice(lines.findIndex(([directive]) => directive === 'DynamicUser'));
    };
    assert.isAbove(hardening('catalogue@.service').length, 20);
    for (const unit of [
      'catalogue-job@.service',
      'catalogue-alerts.service',
      'catalogue-worker@.service',
      'catalogue-backup.service',
    ])
      assert.deepEqual(hardening(unit), hardening('catalogue@.service'), unit);
  });
});
