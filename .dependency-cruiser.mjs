/**
 * What may import what; `npm run lint` enforces it. The layers of `src`, from top to bottom: a layer imports itself and the
 * layers below it, and use cases do not import each other.
 */
const LAYERS = [
  '((main|wiring|workers|connections|shutdown)\\.ts$|follow-up/)',
  'http/',
  'usecases/',
  'products/',
  'matcher/',
  'sources/',
  'published/',
  'telemetry/',
  'engine/',
  'matching/',
  'feeds/',
  'listing/',
  'naming/',
  'text/',
  'platform/',
  'schemas/',
];

/** What every use case depends on, and the repetition of requests with an `Idempotency-Key`. */
const OF_ALL_USE_CASES = '^src/usecases/(context|idempotent)\\.ts$';

/** Layers of pure functions, and the packages that they may import. `node:crypto` hashes without I/O. */
const PURE = {
  matching: ['tinyqueue'],
  listing: ['crypto'],
  naming: ['yaml'],
  text: ['crypto', 'yaml'],
  schemas: ['typebox'],
};

const layer = (name) => `^src/${name}`;
const escaped = (name) => name.replaceAll('.', '\\.');
const loaded = (name) => `(^|node_modules/)${escaped(name)}(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no circular imports', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no unresolvable import', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'every file of src belongs to a layer',
      severity: 'error',
      from: { path: '^src/', pathNot: LAYERS.map(layer) },
      to: {},
    },
    ...LAYERS.map((name, index) => ({
      name: `src/${name} imports only itself and lower layers`,
      severity: 'error',
      from: { path: layer(name) },
      to: { path: '^(src|scripts|tools|lab|test)/', pathNot: LAYERS.slice(index).map(layer) },
    })),
    {
      name: 'use cases do not import each other',
      severity: 'error',
      // A use case is a folder, or a single file next to the folders.
      from: { path: '^src/usecases/([^/.]+)', pathNot: OF_ALL_USE_CASES },
      to: { path: '^src/usecases/', pathNot: ['^src/usecases/$1(/|\\.ts$)', OF_ALL_USE_CASES] },
    },
    ...Object.entries(PURE).map(([name, packages]) => ({
      name: `src/${name} is pure`,
      severity: 'error',
      from: { path: `^src/${name}/` },
      to: { pathNot: ['^src/', ...packages.map(loaded)] },
    })),
    {
      name: 'only src/engine imports values of the Elasticsearch client, and its query builders do not',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/engine/[^/]+$' },
      to: { path: loaded('@elastic/elasticsearch'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only the app imports src/http/agents, which is mounted unless AGENTS=off',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/http/(agents/|app\\.ts$)' },
      to: { path: '^src/http/agents/' },
    },
    {
      name: 'what ships does not import the workbench',
      severity: 'error',
      from: { path: '^scripts/' },
      to: { path: '^(tools|test)/' },
    },
    {
      name: 'only tests import the lab',
      severity: 'error',
      from: { path: '^(src|scripts|tools)/' },
      to: { path: '^lab/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types count as dependencies as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
