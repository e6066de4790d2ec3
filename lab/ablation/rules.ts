import ts from 'typescript';

/** A rule of the source that can be switched off, which is what `kind` says: see `WHEN_OFF`. */
export interface Rule {
  id: number;
  file: string;
  line: number;
  within: string;
  kind: keyof typeof WHEN_OFF;
  text: string;
}

export const WHEN_OFF = {
  alternative: 'the operand of `||` is false',
  condition: 'the operand of `&&` is true',
  guard: 'the condition of `if` is false',
  choice: 'the condition of `?:` is false',
  filter: 'the filter keeps everything',
  pattern: 'the pattern matches nothing',
  feature: 'the feature is 0',
} as const;

const OFF = { alternative: 'false', condition: 'true', guard: 'false', choice: 'false', feature: '0' };

const MAX_TEXT = 110;

/** Rewrites a file so that each rule asks `rules` whether it is off. Conditions of loops stay, so that they end. */
export function instrument(file: string, text: string, features: ReadonlySet<string>, rules: Rule[]): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const inserted: { at: number; text: string; order: number }[] = [];
  const wrap = (node: ts.Node, kind: Rule['kind'], before: (id: number) => string, after: string): void => {
    const id = rules.length;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const short = node.getText().replace(/\s+/g, ' ').slice(0, MAX_TEXT);
    rules.push({ id, file, line, within: nameAround(node), kind, text: short });
    const order = inserted.length + 1;
    inserted.push({ at: node.getStart(), text: before(id), order });
    inserted.push({ at: node.getEnd(), text: after, order: -order });
  };
  const wrapTest = (node: ts.Node, kind: keyof typeof OFF) => {
    const record = kind === 'condition' ? 'falsy' : 'truthy';
    wrap(node, kind, (id) => `(rules.off === ${id} ? ${OFF[kind]} : rules.${record}(${id}, `, '))');
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) for (const [operand, kind] of operandsOf(node)) wrapTest(operand, kind);
    if (ts.isIfStatement(node) && node.elseStatement === undefined) wrapTest(node.expression, 'guard');
    if (ts.isConditionalExpression(node)) wrapTest(node.condition, 'choice');
    if (ts.isPropertyAssignment(node) && /^(?:compareProfiles|cheapFeatures)$/.test(nameAround(node)))
      if (features.has(node.name.getText())) wrapTest(node.initializer, 'feature');
    const kept = filteredBy(node);
    if (kept !== undefined) wrap(kept, 'filter', (id) => `rules.filter(${id}, `, ')');
    if (isPattern(node)) wrap(node, 'pattern', (id) => `rules.pattern(${id}, `, ')');
    const loop = ts.isWhileStatement(node)
      ? node.expression
      : ts.isForStatement(node)
        ? node.condition
        : null;
    ts.forEachChild(node, (child) => {
      if (child !== loop) visit(child);
    });
  };
  visit(source);
  // At one place, ends come before beginnings, inner ends first and outer beginnings first.
  inserted.sort((a, b) => a.at - b.at || a.order - b.order);
  const pieces = inserted.map(
    ({ at, text: piece }, nth) => text.slice(inserted[nth - 1]?.at ?? 0, at) + piece,
  );
  return pieces.join('') + text.slice(inserted.at(-1)?.at ?? 0);
}

/** The operands of a chain of `||` or `&&` that a node joins, with what they are. */
function operandsOf({ left, right, operatorToken: { kind } }: ts.BinaryExpression) {
  const isOr = kind === ts.SyntaxKind.BarBarToken;
  if (!isOr && kind !== ts.SyntaxKind.AmpersandAmpersandToken) return [];
  const isChain = (one: ts.Node) => ts.isBinaryExpression(one) && one.operatorToken.kind === kind;
  return [left, right]
    .filter((one) => !isChain(one))
    .map((one) => [one, isOr ? 'alternative' : 'condition'] as const);
}

const filteredBy = (node: ts.Node): ts.Node | undefined =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === 'filter' &&
  node.arguments.length === 1
    ? node.arguments[0]
    : undefined;

const isPattern = (node: ts.Node): boolean =>
  ts.isRegularExpressionLiteral(node) || (ts.isNewExpression(node) && node.expression.getText() === 'RegExp');

/** The name of the function, or of the constant of the module, that contains a node. */
function nameAround(node: ts.Node): string {
  for (let at: ts.Node | undefined = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionDeclaration(at) && at.name !== undefined) return at.name.text;
    if (ts.isVariableDeclaration(at) && ts.isSourceFile(at.parent.parent.parent)) return at.name.getText();
  }
  return '';
}
