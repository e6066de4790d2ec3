/**
 * What may import what; `npm run lint` checks it. Every room of `src` names all that it may import besides itself: a
 * room that is not named here, an arrow that is not, and a circle of modules are errors. Arrows run down this list only.
 */
const ROOMS = {
  'server.ts': ['config.ts', 'observability', 'service.ts', 'version.ts'],
  'service.ts': [
    ...['access', 'catalogue', 'config.ts', 'context.ts', 'elasticsearch', 'follow-up.ts', 'http'],
    ...['observability', 'rates', 'suggestions'],
  ],
  // What is worked out of listings after they were written over HTTP.
  'follow-up.ts': ['elasticsearch', 'listing', 'quality', 'rates', 'suggestions'],
  http: [
    ...[
      'access',
      'answer.ts',
      'config.ts',
      'context.ts',
      'cost.ts',
      'elasticsearch',
      'endpoint.ts',
      'endpoints',
    ],
    ...['errors.ts', 'json.ts', 'judging', 'mcp', 'observability', 'queries', 'schemas'],
  ],
  // Tools for agents, over what endpoints answer; knows nothing of requests.
  mcp: ['endpoint.ts', 'endpoints', 'errors.ts', 'schemas', 'version.ts'],
  // What is recorded of requests and loads.
  observability: [
    ...[
      'access',
      'answer.ts',
      'catalogue',
      'config',
      'config.ts',
      'context.ts',
      'elasticsearch',
      'endpoint.ts',
      'files.ts',
    ],
    ...['listing', 'rates', 'version.ts'],
  ],
  endpoints: [
    ...[
      'access',
      'answer.ts',
      'comparison',
      'context.ts',
      'cost.ts',
      'elasticsearch',
      'endpoint.ts',
      'errors.ts',
      'listing',
    ],
    ...['matching', 'queries', 'results', 'schemas', 'version.ts'],
  ],
  'endpoint.ts': ['access', 'answer.ts', 'context.ts', 'cost.ts', 'errors.ts'],
  'context.ts': ['access', 'catalogue', 'config.ts', 'elasticsearch', 'rates'],
  images: ['catalogue', 'elasticsearch', 'listing', 'outbound'],
  // Connections to addresses that others name.
  outbound: [],
  // Judges listings by what others say.
  quality: ['catalogue', 'elasticsearch', 'listing', 'rates', 'schemas'],
  // Makes suggestions of listings, and of what was searched for.
  suggestions: [
    ...[
      'catalogue',
      'elasticsearch',
      'files.ts',
      'listing',
      'matching',
      'observability',
      'queries',
      'schemas',
    ],
  ],
  // Counts which listings people move.
  trends: ['catalogue', 'elasticsearch', 'queries', 'schemas'],
  // Writes listings; knows nothing of requests.
  catalogue: ['elasticsearch', 'feed', 'files.ts', 'listing', 'schemas'],
  // Reads listings.
  elasticsearch: [
    'comparison',
    'config',
    'config.ts',
    'judging',
    'listing',
    'matching',
    'queries',
    'rates',
    'results',
    'schemas',
  ],
  // Compares what was found, in threads of its own.
  judging: ['comparison', 'listing', 'matching', 'queries', 'rates', 'schemas', 'thread-file.ts'],
  access: ['config.ts', 'errors.ts', 'json.ts'],
  // Pure from here to `schemas`: values in, values out.
  comparison: ['listing', 'matching', 'rates', 'results', 'schemas'],
  results: ['listing', 'schemas'],
  // Listings into products.
  grouping: ['listing'],
  // Its fitted model is a file of data, read once.
  matching: ['files.ts', 'listing', 'schemas'],
  queries: ['listing', 'rates', 'schemas'],
  listing: ['schemas'],
  schemas: [],
  feed: ['thread-file.ts'],
  // Rows of a shop's own feed in, records out.
  mapping: ['feed', 'files.ts', 'listing'],
  rates: ['config.ts'],
  'errors.ts': ['answer.ts'],
  'json.ts': [],
  'answer.ts': ['schemas'],
  'version.ts': ['files.ts'],
  'cost.ts': [],
  'config.ts': ['config'],
  config: [],
  'files.ts': [],
  'thread-file.ts': [],
};

/** The packages that pure rooms may load. The engine's client lends `queries` and `results` its types alone. */
const PURE = {
  comparison: [],
  grouping: [],
  results: ['@json2csv/plainjs', '@json2csv/formatters'],
  matching: [],
  queries: [],
  listing: ['crypto'],
  schemas: ['typebox'],
};
const TYPES_ALONE = { results: ['@elastic/elasticsearch'], queries: ['@elastic/elasticsearch'] };

const escaped = (name) => name.replaceAll('.', '\\.');
const room = (name) => `^src/${escaped(name)}${name.endsWith('.ts') ? '$' : '/'}`;
const loaded = (name) => `(^|node_modules/)${escaped(name)}(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no unknown module', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'every room is known',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(ROOMS).map(room) },
      to: {},
    },
    ...Object.entries(ROOMS).map(([name, below]) => ({
      name: `src/${name} imports what it may`,
      severity: 'error',
      from: { path: room(name) },
      to: { path: '^(src|scripts|tools|test)/', pathNot: [name, ...below].map(room) },
    })),
    ...Object.entries(PURE).flatMap(([name, packages]) => [
      {
        name: `src/${name} is pure`,
        severity: 'error',
        from: { path: room(name) },
        to: {
          pathNot: ['^src/', ...[...packages, ...(TYPES_ALONE[name] ?? [])].map(loaded)],
        },
      },
      ...(TYPES_ALONE[name] ?? []).map((borrowed) => ({
        name: `src/${name} takes types of ${borrowed} alone`,
        severity: 'error',
        from: { path: room(name) },
        to: { path: loaded(borrowed), dependencyTypesNot: ['type-only'] },
      })),
    ]),
    {
      name: 'what ships does without the workbench',
      severity: 'error',
      from: { path: '^scripts/' },
      to: { path: '^(tools|test)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types are arrows as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
