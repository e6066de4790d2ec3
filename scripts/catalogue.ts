#!/usr/bin/env node
/** catalogue COMMAND [ARGUMENT...]: runs the service or one of its commands, without npm; see --help. */
import { styleText } from 'node:util';
import { Command } from 'commander';
import { SERVICE_REVISION, SERVICE_VERSION } from '../src/platform/version.js';
import { type Main } from './shared/command.js';
import { COMMANDS, phrased } from './shared/commands.js';
import { HELP, wrapped } from './shared/help.js';
import { EXIT } from './shared/exit.js';
import { start } from './shared/start.js';

function helpOfAll(): string {
  const program = new Command('catalogue')
    .usage('COMMAND [ARGUMENT...]')
    .description('The product catalogue and its commands.')
    .helpOption(false)
    .helpCommand(false)
    .configureHelp(HELP);
  for (const [name, { about }] of Object.entries(COMMANDS))
    program.command(name).summary(about).helpOption(false);
  const epilogue = `catalogue COMMAND --help describes a command; catalogue --version prints the version and revision.
The exit code is that of the command; 2 if there is no such command.`;
  return `${program.helpInformation().replace(/^Usage: /, '')}\n${wrapped(epilogue)}\n`;
}

export const main: Main = async ([name = '', ...args], env, io) => {
  if (name === '--help' || name === '-h' || (name === 'help' && args.length === 0)) {
    io.out.write(helpOfAll());
    return EXIT.done;
  }
  if (name === '--version') {
    io.out.write(`${SERVICE_VERSION} (revision ${SERVICE_REVISION})\n`);
    return EXIT.done;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const wrong = name === '' ? 'No command is given.' : `There is no command "${name}".`;
    io.err.write(`${styleText('red', wrong, { stream: io.err })}\ncatalogue --help lists them.\n`);
    return EXIT.misused;
  }
  const loaded = await command.load();
  return loaded.main(args, env, Object.assign(io, { phrase: phrased }));
};

await start(import.meta.url, main);
