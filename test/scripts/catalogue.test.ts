import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { COMMANDS } from '../../scripts/shared/commands.js';
import { phrased } from '../../scripts/shared/commands.js';
import { main } from '../../scripts/catalogue.js';
import { run } from '../support/command.js';

describe('catalogue', function () {
  it('contains every command that ships, under its npm name', async () => {
    const files = readdirSync('scripts').filter((file) => file.endsWith('.ts') && file !== 'catalogue.ts');
    const named = files.map((file) => file.replace(/\.ts$/, ''));
    expect(Object.keys(COMMANDS)).to.have.members(named);
    const { scripts, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
      bin: Record<string, string>;
    };
    expect(scripts).to.include.keys(named.filter((name) => name !== 'serve'));
    expect(bin).to.deep.equal({ catalogue: 'dist/scripts/catalogue.js' });
    const program = Object.values(bin)[0] ?? '';
    for (const [file, started] of [
      ['docker/systemd/catalogue@.service', `/opt/catalogue/${program} serve\n`],
      ['docker-compose.yml', `entrypoint: [node, /app/${program}]\n`],
      ['Dockerfile', `"/app/${program}", "/usr/local/bin/catalogue"]\n`],
    ] as const)
      expect(readFileSync(file, 'utf8')).to.include(started);
    expect(readFileSync('scripts/catalogue.ts', 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/);
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      const { code, out, err } = await run((await load()).main, ['--help']);
      expect({ name, code, err }).to.deep.equal({ name, code: 0, err: '' });
      expect(out).to.match(new RegExp(`^npm run ${name}\\b`));
    }
  });

  it('lists each command on one line', async () => {
    const { code, out } = await run(main, ['--help']);
    expect(code).to.equal(0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await run(main, ['--version'])).out).to.equal(`${version} (revision unknown)\n`);
    const lines = out.split('\n').filter((line) => line.startsWith('  '));
    expect(lines).to.have.length(Object.keys(COMMANDS).length);
    for (const line of lines) expect(line).to.match(/^ {2}[a-z-]+ {2,}\S.*$/);
    for (const line of out.split('\n')) expect(line.length).to.be.at.most(120);
  });

  it('passes on arguments, output and exit codes, and names commands as `catalogue NAME`', async () => {
    const help = await run(main, ['keys', '--help']);
    expect(help.out)
      .to.match(/^catalogue keys COMMAND/)
      .and.not.include('npm run');
    const misused = await run(main, ['keys', 'revoke']);
    expect(misused).to.include({ code: 2, out: '' });
    expect(misused.err)
      .to.include('catalogue keys list shows them')
      .and.include('catalogue keys --help shows how to use it');
    const away = await run(main, ['keys', 'list'], { env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    expect(away).to.include({ code: 1, out: '' });
    expect(
      phrased('npm run reindex -- --rollback, npm run link; npm run demo, npm run ingest --\n--link'),
    ).to.equal('catalogue reindex --rollback, catalogue link; npm run demo, catalogue ingest\n--link');
  });

  it('refuses an invalid variable of the service in a command', async () => {
    const { code, err } = await run(main, ['quality'], { env: { MARKETS: 'de,xx' } });
    expect(err).to.match(/^MARKETS must list some of .*, not "xx"/);
    expect(code).to.equal(1);
  });

  it('rejects a missing or unknown command with exit code 2', async () => {
    for (const args of [[], ['lsit'], ['constructor'], ['--verbose', 'keys']]) {
      const { code, out, err } = await run(main, args);
      expect({ code, out }).to.deep.equal({ code: 2, out: '' });
      expect(err).to.match(/\ncatalogue --help lists them\.\n$/);
    }
  });
});
