#!/usr/bin/env node
/** catalogue COMMAND [ARGUMENT...]: the service and all its commands under one name, for where there is no npm; see --help. */
import { styleText } from 'node:util';
import { SERVICE_REVISION, SERVICE_VERSION } from '../src/platform/version.js';
import { called } from './catalogue/called.js';
import { COMMANDS, helpOfAll } from './catalogue/commands.js';
import { type Main } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { start } from './shared/start.js';

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
    const wrong = name === '' ? 'Say what to do.' : `There is no command "${name}".`;
    io.err.write(`${styleText('red', wrong, { stream: io.err })}\ncatalogue --help lists them.\n`);
    return EXIT.misused;
  }
  const loaded = await command.load();
  return loaded.main(args, env, called(io));
};

await start(import.meta.url, main);
