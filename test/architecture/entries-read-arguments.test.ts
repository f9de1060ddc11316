import { describe, expect, it } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';
import { childrenOf, isNode, type Node, positionOf, treeOf } from './syntax-tree.ts';

/**
 * `Entries` uses an entry again if the values that were read to make it are the same. It sees only values that reach the
 * function through its arguments. So the function must not read variables of another function: it is declared at the
 * top level of a module, or imported. `no-hidden-state.test.ts` checks that modules have no state that it could read.
 */
const making = /^of(?:Decisions|AllDecisions)?$/;

const nodesBelow = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(nodesBelow)];

const nameOf = (node: unknown): string => (isNode(node) && node.type === 'Identifier' ? String(node.name) : '');

/** Returns the names that an import, a declaration or a parameter declares. */
function declaredBy(node: Node): string[] {
  if (/^Import\w*Specifier$/.test(node.type)) return [nameOf(node.local)];
  const own = /^(?:VariableDeclarator|FunctionDeclaration)$/.test(node.type) ? [nameOf(node.id)] : [];
  const params = Array.isArray(node.params) ? node.params.filter(isNode).flatMap(nodesBelow).map(nameOf) : [];
  return [...own, ...params];
}

/** Returns the names that a statement at the top level of a module declares. */
function declaredAtTop(statement: Node): string[] {
  if (/^Export(?:Named|Default)Declaration$/.test(statement.type) && isNode(statement.declaration)) {
    return declaredAtTop(statement.declaration);
  }
  const { specifiers, declarations } = statement;
  const parts = [specifiers, declarations].flat().filter(isNode);
  return statement.type === 'FunctionDeclaration' ? [nameOf(statement.id)] : parts.flatMap(declaredBy);
}

/** Returns the calls that make an entry, each with true if its function is declared only at the top level. */
function entriesMadeIn(file: SourceFile): { readonly at: string; readonly isAtTop: boolean }[] {
  const tree = treeOf(file);
  const all = nodesBelow(tree);
  const top = new Set(childrenOf(tree).flatMap(declaredAtTop));
  const declared = all.flatMap(declaredBy);
  return all
    .filter(({ type, callee }) => type === 'CallExpression' && isNode(callee) && callee.type === 'MemberExpression')
    .filter(
      ({ callee }) => making.test(nameOf((callee as Node).property)) && nameOf((callee as Node).object) === 'entries',
    )
    .map((call) => {
      const name = nameOf((call.arguments as unknown[])[0]);
      const isAtTop = top.has(name) && declared.filter((other) => other === name).length === 1;
      return { at: positionOf(file, call), isAtTop };
    });
}

describe('the functions that make entries of a specification', () => {
  it('are declared at the top level of a module, so that they read only their arguments', () => {
    const files = sourceFiles(['src/specification']).filter(({ path }) => !isTest(path));
    const made = files.filter(({ text }) => text.includes('entries.of')).flatMap(entriesMadeIn);
    expect(made.length).toBeGreaterThan(8);
    expect(made.filter(({ isAtTop }) => !isAtTop)).toEqual([]);
  });
});

describe('entriesMadeIn', () => {
  const found = (text: string) => entriesMadeIn({ path: 'src/example.ts', text }).map(({ isAtTop }) => isAtTop);

  it.each([
    'function make() {}\nentries.of(make, 1);',
    'export function make() {}\nconst all = () => entries.ofDecisions(make, 1);',
    'const make = () => 1;\nentries.ofAllDecisions(make);',
    "import { make } from './make.ts';\nentries.of(make, 1);",
  ])('accepts %s', (text) => expect(found(text)).toEqual([true]));

  it.each([
    'entries.of(() => 1, 1);',
    'function all(n) {\n  const make = () => n;\n  return entries.of(make, 1);\n}',
    'function all(make) {\n  return entries.of(make, 1);\n}',
    'const make = () => 1;\nfunction all(make) {\n  return entries.of(make, 1);\n}',
    'entries.of(this.make, 1);',
    'entries.of(maker(1), 1);',
  ])('refuses %s', (text) => expect(found(text)).toEqual([false]));
});
