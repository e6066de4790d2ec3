import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '../../scripts/shared/places.js';

/** The tests and the programs that they start, compiled once for a whole test run. */
export interface TestBuild {
  folder: string;
  /** Returns the compiled file of a source file, such as `test/config.test.ts`. */
  compiled(file: string): string;
  /** For each source file, the source files (relative to the project) and packages that it imports. */
  imports: ReadonlyMap<string, readonly string[]>;
  remove(): void;
}

const BUILDS = join(projectRoot, '.demo');
const NAME = /^tests-(\d+)$/;

/** Matches expressions by which a module finds its own file. */
const LOCATION = /\bimport\.meta\.(url|dirname)\b/g;

/** Matches the files of `src` that run as a thread or a process of their own. */
const STARTED_BY_SERVICE = /(?:-(?:thread|process|worker)|^src\/main)\.ts$/;

/** Compiles the tests and the programs that they start at once: a loader would compile each file again in every process. */
export async function buildTests(tests: readonly string[]): Promise<TestBuild> {
  removeStaleBuilds();
  const folder = join(BUILDS, `tests-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: projectRoot,
    entryPoints: [...tests, ...programs()],
    outdir: folder,
    outbase: projectRoot,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    external: externalPackages(),
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    // Packages in CommonJS format load modules of Node.js by `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [keepLocations(folder)],
  });
  writeFileSync(join(folder, 'run.mjs'), RUN);
  return {
    folder,
    compiled: (file) => join(folder, file.replace(/\.ts$/, '.js')),
    imports: new Map(
      Object.entries(metafile.inputs).map(([file, input]) => [file, input.imports.map(({ path }) => path)]),
    ),
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a compiled file as if Node.js had been started with its source: `node run.mjs scripts/ingest.ts ARGUMENT...`. */
const RUN = `const [file, ...args] = process.argv.slice(2);
process.argv.splice(1, process.argv.length, ${JSON.stringify(`${projectRoot}/`)} + file, ...args);
await import(new URL(file.replace(/\\.ts$/, '.js'), import.meta.url).href);
`;

/** The packages that are not bundled. Reading 1,300 files of the others takes half of the CPU time of a short command. */
function externalPackages(): string[] {
  const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return [
    ...Object.keys(devDependencies),
    ...['piscina', 'sharp', 'swagger-ui-dist'],
    // The service loads them only if tracing is on, which a test checks by their names.
    ...['exporter-trace-otlp-http', 'resources', 'sdk-trace-base'].map((name) => `@opentelemetry/${name}`),
  ];
}

/** The programs that tests start, and what the service starts as threads and processes. */
function programs(): string[] {
  const commands = ['scripts', 'tools'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`),
  );
  const parts = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => STARTED_BY_SERVICE.test(file));
  return [
    ...commands,
    ...parts,
    'test/platform/access/instance.ts',
    'test/naming/chosen-markets.ts',
    'tools/test/reporter.ts',
  ];
}

/** Keeps `import.meta` correct after bundling: that of the source file; in `src`, that of the compiled file beside its threads. */
function keepLocations(folder: string): Plugin {
  return {
    name: 'keep locations',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const file = relative(projectRoot, path);
        const source = readFileSync(path, 'utf8').replace(/^#!.*/, '');
        const contents = source.replace(LOCATION, (_, part) =>
          part === 'url' ? '__fileUrl' : '__fileFolder',
        );
        if (contents === source) return { contents, loader: 'ts' };
        const place = file.startsWith('src/') ? join(folder, file.replace(/\.ts$/, '.js')) : path;
        const [url, parent] = [pathToFileURL(place).href, dirname(place)].map((text) => JSON.stringify(text));
        // The constants are in front of the first line, so that line numbers stay.
        return { contents: `const __fileUrl = ${url}, __fileFolder = ${parent};${contents}`, loader: 'ts' };
      });
    },
  };
}

/** Deletes the folders of compiled tests that killed runs left. */
function removeStaleBuilds(): void {
  mkdirSync(BUILDS, { recursive: true });
  for (const name of readdirSync(BUILDS)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      rmSync(join(BUILDS, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
