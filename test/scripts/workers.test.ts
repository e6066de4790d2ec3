import { main as alerts } from '../../scripts/alerts.js';
import { main as backup } from '../../scripts/backup.js';
import { main as followUp } from '../../scripts/follow-up.js';
import { main as sync } from '../../scripts/sync.js';
import { ends, run } from '../support/command.js';

describe('the workers', () => {
  it('run until they are stopped with --watch, which --alive needs', async () => {
    const workers = [alerts, followUp, sync].map((main) => ({ main, args: [] as string[] }));
    for (const { main, args } of [...workers, { main: backup, args: ['--to', '/backups'] }]) {
      await ends(run(main, ['--help']), 0, { out: /^ {2}--watch +run until the command is stopped;/m });
      await ends(run(main, [...args, '--alive', 'file']), 2, { err: /^--alive needs --watch\./ });
    }
  });
});
