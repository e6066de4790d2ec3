import { readdirSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../scripts/shared/places.js';

interface Counts {
  files: number;
  lines: number;
  /** Named functions that return a boolean. */
  predicates: number;
  /** Regular-expression literals and calls of `RegExp`. */
  patterns: number;
}

/** Counts the parts of each source folder and what each route reaches by its imports, as two Markdown tables. */
export function structureTable(root = projectRoot): string {
  const program = programOf(root);
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${root}/src/`));
  const folders = new Map<string, Counts>();
  for (const source of sources) {
    const counts = countsOf(source, program.getTypeChecker());
    for (const folder of foldersOf(path.relative(root, source.fileName))) {
      const sum = folders.get(folder) ?? { files: 0, lines: 0, predicates: 0, patterns: 0 };
      for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name];
      folders.set(folder, sum);
    }
  }
  const byName = [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
  const routesFolder = path.join(root, 'src/http/routes');
  const routes = readdirSync(routesFolder)
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .sort()
    .map((file) => {
      const reached = reachedFrom(program, path.join(routesFolder, file));
      return [file, reached.length, reached.reduce((sum, source) => sum + linesOf(source), 0)];
    });
  return [
    markdown(
      ['Folder', 'Files', 'Lines', 'Predicates', 'Patterns'],
      byName.map(([name, { files, lines, predicates, patterns }]) => [
        name,
        files,
        lines,
        predicates,
        patterns,
      ]),
    ),
    markdown(['Route', 'Files reached', 'Lines reached'], routes),
  ].join('\n');
}

function programOf(root: string): ts.Program {
  const { config } = ts.readConfigFile(path.join(projectRoot, 'tsconfig.json'), (file) =>
    ts.sys.readFile(file),
  );
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, projectRoot);
  return ts.createProgram(ts.sys.readDirectory(path.join(root, 'src'), ['.ts']), options);
}

const linesOf = (source: ts.SourceFile): number => source.getLineStarts().length - 1;

/** Returns the folder of a file, and the folders that contain it, up to `src`. */
function foldersOf(file: string): string[] {
  const parts = path.dirname(file).split(path.sep);
  return parts.slice(0, 3).map((_, at) => parts.slice(0, at + 1).join('/'));
}

function countsOf(source: ts.SourceFile, checker: ts.TypeChecker): Counts {
  const counts = { files: 1, lines: linesOf(source), predicates: 0, patterns: 0 };
  const visit = (node: ts.Node): void => {
    if (isPattern(node)) counts.patterns += 1;
    if (isNamedFunction(node) && returnsBoolean(node, checker)) counts.predicates += 1;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return counts;
}

const isPattern = (node: ts.Node): boolean =>
  ts.isRegularExpressionLiteral(node) ||
  ((ts.isNewExpression(node) || ts.isCallExpression(node)) &&
    ts.isIdentifier(node.expression) &&
    node.expression.text === 'RegExp');

function isNamedFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return true;
  const isExpression = ts.isArrowFunction(node) || ts.isFunctionExpression(node);
  return isExpression && (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent));
}

function returnsBoolean(node: ts.FunctionLikeDeclaration, checker: ts.TypeChecker): boolean {
  const type = checker.getSignatureFromDeclaration(node)?.getReturnType();
  return type !== undefined && (type.flags & ts.TypeFlags.BooleanLike) !== 0;
}

/** Returns the source files that a file loads, directly or indirectly, and the file itself. */
function reachedFrom(program: ts.Program, root: string): ts.SourceFile[] {
  const reached = new Map<string, ts.SourceFile>();
  const visit = (file: string): void => {
    const source = program.getSourceFile(file);
    if (source === undefined || reached.has(file)) return;
    reached.set(file, source);
    for (const name of loadedBy(source))
      visit(path.resolve(path.dirname(file), name.replace(/\.js$/, '.ts')));
  };
  visit(root);
  return [...reached.values()];
}

/** Returns the modules that a file imports. Imports of types alone load nothing. */
function loadedBy(source: ts.SourceFile): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = loadedName(node);
    if (name !== undefined && ts.isStringLiteral(name)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

function loadedName(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node))
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport ? node.arguments[0] : undefined;
}

const markdown = (header: string[], rows: (string | number)[][]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
