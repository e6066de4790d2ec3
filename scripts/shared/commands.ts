import type { Main } from './command.js';

interface Listed {
  about: string;
  load: () => Promise<{ main: Main }>;
}

/** All commands of the package, in the order of `catalogue --help`. A command is loaded when it is run. */
export const COMMANDS: Record<string, Listed> = {
  serve: { about: 'run the API until it is stopped', load: () => import('../serve.js') },
  ingest: { about: 'load feeds', load: () => import('../ingest.js') },
  sync: { about: 'load the sources that are due', load: () => import('../sync.js') },
  sources: { about: 'check and add source files', load: () => import('../sources.js') },
  withdraw: { about: 'delete listings of a source', load: () => import('../withdraw.js') },
  dump: { about: 'write all listings to one file', load: () => import('../dump.js') },
  changes: { about: 'write what changes in the catalogue as NDJSON', load: () => import('../changes.js') },
  alerts: { about: 'check alerts on prices and availability', load: () => import('../alerts.js') },
  link: { about: 'find the listings that offer the same product', load: () => import('../link.js') },
  learn: {
    about: 'learn which makers there are and which listings are the same product',
    load: () => import('../learn.js'),
  },
  brands: { about: 'show and edit the brand dictionary', load: () => import('../brands.js') },
  rules: {
    about: 'check and publish the merchandising rules of searches',
    load: () => import('../rules.js'),
  },
  quality: { about: 'flag listings that contradict other listings', load: () => import('../quality.js') },
  suggest: { about: 'rebuild the suggestions of the search box', load: () => import('../suggest.js') },
  'follow-up': {
    about: 'update what depends on loaded listings, everything once a day, and delete old events',
    load: () => import('../follow-up.js'),
  },
  images: { about: 'compute the perceptual hashes of images', load: () => import('../images.js') },
  doctor: {
    about: 'show whether everything works, and what mends what does not',
    load: () => import('../doctor.js'),
  },
  reindex: {
    about: 'rebuild the index with the current mappings, or roll back',
    load: () => import('../reindex.js'),
  },
  backup: { about: 'back up Elasticsearch and Redis', load: () => import('../backup.js') },
  restore: {
    about: 'restore a backup next to the index in use, then switch to it; or rehearse it',
    load: () => import('../restore.js'),
  },
  keys: {
    about: 'create, list, rotate, revoke, export and import API keys',
    load: () => import('../keys.js'),
  },
  'engine-users': {
    about: 'create roles and users in an Elasticsearch with security',
    load: () => import('../engine-users.js'),
  },
  kibana: { about: "load Kibana's dashboards", load: () => import('../kibana.js') },
  explain: { about: 'show why a search ranks its results as it does', load: () => import('../explain.js') },
};

/** The pattern of a command in texts, which mention commands in the form in which npm runs them. */
const NPM_COMMAND = /npm run ([a-z-]+)( --(?=\s|$))?/g;

/** Rewrites `npm run NAME --` to `catalogue NAME` for every command of the package. */
export const phrased = (text: string): string =>
  text.replaceAll(NPM_COMMAND, (written, name: string) =>
    Object.hasOwn(COMMANDS, name) ? `catalogue ${name}` : written,
  );
