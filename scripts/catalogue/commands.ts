import type { Main } from '../shared/command.js';

/** A command of `catalogue`: what it is for, in a line, and where it is. Loaded when it is wanted alone. */
export interface Listed {
  about: string;
  load: () => Promise<{ main: Main }>;
}

/** All that ships, in the order in which somebody meets them. */
export const COMMANDS: Record<string, Listed> = {
  serve: { about: 'the API, until it is stopped', load: () => import('./serve.js') },
  ingest: { about: 'load feeds', load: () => import('../ingest.js') },
  withdraw: { about: 'take listings of a source down', load: () => import('../withdraw.js') },
  dump: { about: 'write all listings to one file', load: () => import('../dump.js') },
  link: { about: 'find out which listings are one product', load: () => import('../link.js') },
  quality: { about: 'judge listings by what others say', load: () => import('../quality.js') },
  suggest: { about: 'make the suggestions of the search box', load: () => import('../suggest.js') },
  images: { about: 'hash the pictures of listings', load: () => import('../images.js') },
  reindex: { about: "bring the index to today's mappings, or back", load: () => import('../reindex.js') },
  restore: {
    about: 'restore a snapshot beside the index that serves, and swap',
    load: () => import('../restore.js'),
  },
  'restore-drill': {
    about: 'rehearse a restore and delete it again',
    load: () => import('../restore-drill.js'),
  },
  keys: { about: 'create, list, rotate, revoke, export and import keys', load: () => import('../keys.js') },
  'engine-users': {
    about: 'roles and users in an Elasticsearch with security',
    load: () => import('../engine-users.js'),
  },
  events: { about: 'delete events past their time or size', load: () => import('../events.js') },
  kibana: { about: "load Kibana's dashboards", load: () => import('../kibana.js') },
  explain: { about: 'show how a search comes to its order', load: () => import('../explain.js') },
  evaluate: { about: 'measure a running API by judgements of people', load: () => import('../evaluate.js') },
};

/** What `catalogue --help` prints. */
export function helpOfAll(): string {
  const width = Math.max(...Object.keys(COMMANDS).map(({ length }) => length)) + 2;
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(width)}${about}`);
  return `catalogue COMMAND [ARGUMENT...]

The product catalogue and its commands.

${lines.join('\n')}

catalogue COMMAND --help says more of one, catalogue --version which version and revision this is. Exit codes are those
of the command; 2: there is no such command.
`;
}
