import { describe, expect, it } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';
import { childrenOf, isNode, type Node, positionOf, treeOf } from './syntax-tree.ts';

/**
 * State belongs to an object that `src/compose` creates and passes on. A module has no state: nothing in it changes
 * after it is loaded. The results of `memoize` are no state, because it caches a pure function: no caller can observe
 * whether a result was cached.
 */

/** Objects without state, or with state that no method of them changes. */
const stateless: ReadonlySet<string> = new Set(['RegExp', 'URL', 'TextDecoder', 'TextEncoder', 'Uint8Array']);
/** Collections. They are constants as long as the file does not change them. */
const collections: ReadonlySet<string> = new Set(['Map', 'Set', 'Int32Array']);
const changingMethods: ReadonlySet<string> = new Set([
  ...['add', 'set', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill'],
]);

/** The state of modules that is allowed, by file, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'src/specification/serve/process/process-main.ts': 'the main program of a process, which composes its parts itself',
};

/**
 * The fields with a WeakMap that are allowed, by file, with the reason. A field of the key would be simpler, but these
 * keys are objects of a lower folder or of Node.js, which must not know the values.
 */
const allowedWeakMaps: Readonly<Record<string, string>> = {
  'src/identity/identities.ts': 'verified tokens of an App, whose folder is below',
  'src/rest/plan-cache.ts': 'plans of a SchemaCache, whose folder is below',
  'src/specification/serve/specification-cache.ts': 'derived specification of an App, whose folder is below',
  'src/specification/derive/remembered-by-role.ts': 'values of an App, whose folder is below',
  'src/specification/serve/portal-screens.ts': 'the most recent request of an App, whose folder is below',
  'src/specification/serve/versions/version-recorder.ts': 'recording of an App, whose folder is below',
  'src/specification/derive/json-writer.ts': 'texts of parts of a specification, which is plain data',
  'src/realtime/realtime.ts': 'answers of policies and counted messages of an App, whose folder is below',
  'src/http/server.ts': 'waiting requests of a socket of Node.js',
};

const nodesBelow = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(nodesBelow)];

/** Returns the expression without parentheses and type assertions. */
const bare = (node: unknown): unknown =>
  isNode(node) && /^TS(?:As|Satisfies|NonNull)Expression$|^ParenthesizedExpression$/.test(node.type)
    ? bare(node.expression)
    : node;

const nameOf = (node: unknown): string => (isNode(node) && node.type === 'Identifier' ? String(node.name) : '');

/** Returns the name of the variable that an expression such as `a.b[0]` is a part of. */
function rootOf(node: unknown): string {
  const expression = bare(node);
  if (!isNode(expression)) return '';
  return expression.type === 'MemberExpression' ? rootOf(expression.object) : nameOf(expression);
}

/** Returns the names of the variables whose content an expression changes. */
function changedBy(node: Node): string[] {
  const isPart = (target: unknown): boolean => isNode(target) && target.type === 'MemberExpression';
  if (node.type === 'CallExpression' && isNode(node.callee) && node.callee.type === 'MemberExpression') {
    return changingMethods.has(nameOf(node.callee.property)) ? [rootOf(node.callee.object)] : [];
  }
  if (node.type === 'AssignmentExpression') return isPart(node.left) ? [rootOf(node.left)] : [];
  if (node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node.operator === 'delete')) {
    return isPart(node.argument) ? [rootOf(node.argument)] : [];
  }
  return [];
}

/** Returns true if a constant of a module with this value can change. */
function canChange(declared: Node, isChanged: boolean): boolean {
  const value = bare(declared);
  if (!isNode(value)) return false;
  if (value.type === 'NewExpression') {
    const name = nameOf(value.callee);
    return !stateless.has(name) && (isChanged || !collections.has(name));
  }
  return isChanged && /^(?:Array|Object)Expression$/.test(value.type);
}

/** Returns the positions of variables and static fields of a module that can change after it is loaded. */
function stateOf(file: SourceFile): string[] {
  const tree = treeOf(file);
  const statements = childrenOf(tree).map((node) =>
    /^Export(?:Named|Default)Declaration$/.test(node.type) && isNode(node.declaration) ? node.declaration : node,
  );
  const changed = new Set(nodesBelow(tree).flatMap(changedBy).filter(Boolean));
  return statements.flatMap((statement): string[] => {
    if (statement.type === 'ClassDeclaration') {
      const members = isNode(statement.body) ? childrenOf(statement.body) : [];
      return members
        .filter((member) => member.type === 'PropertyDefinition' && member.static === true)
        .filter((member) => member.readonly !== true || (isNode(member.value) && canChange(member.value, true)))
        .map((member) => positionOf(file, member));
    }
    if (statement.type !== 'VariableDeclaration' || statement.declare === true) return [];
    const declarators = (statement.declarations as unknown[]).filter(isNode);
    return declarators
      .filter(
        ({ id, init }) => statement.kind !== 'const' || (isNode(init) && canChange(init, changed.has(nameOf(id)))),
      )
      .map((declarator) => positionOf(file, declarator));
  });
}

const weakMapsOf = (file: SourceFile): string[] =>
  (file.text.includes('new Weak') ? nodesBelow(treeOf(file)) : [])
    .filter(({ type, callee }) => type === 'NewExpression' && /^Weak(?:Map|Set)$/.test(nameOf(callee)))
    .map((node) => positionOf(file, node));

const fileOf = (position: string): string => position.replace(/:\d+$/, '');

describe('src and contract', () => {
  const files = sourceFiles(['src', 'contract']).filter(({ path }) => !isTest(path));

  it('have no state in modules', () => {
    const found = files.flatMap(stateOf);
    expect(found.filter((position) => !(fileOf(position) in allowed))).toEqual([]);
    expect(found.map(fileOf)).toEqual(expect.arrayContaining(Object.keys(allowed)));
  });

  it('attach values to objects by identity only where a field is not possible', () => {
    const found = files.flatMap(weakMapsOf);
    expect(found.filter((position) => !(fileOf(position) in allowedWeakMaps))).toEqual([]);
    expect(found.map(fileOf)).toEqual(expect.arrayContaining(Object.keys(allowedWeakMaps)));
  });
});

describe('stateOf', () => {
  const found = (text: string): string[] => stateOf({ path: 'src/example.ts', text });

  it.each([
    'let count = 0;',
    'export let count = 0;',
    'const known = new Map<string, number>();\nexport const add = () => known.set("a", 1);',
    'export const known: string[] = [];\nexport const add = () => known.push("a");',
    'const last = { at: 0 } as { at: number };\nconst note = () => { last.at = 1; };',
    'const last = { at: 0 };\nconst note = () => last.at++;',
    'const known: Record<string, number> = {};\nconst drop = () => { delete known.a; };',
    'const known = new LRUCache({ max: 1 });',
    'const queue = new HashQueue();',
    'class A {\n  static count = 0;\n}',
    'export class A {\n  static readonly known = new Map();\n}',
  ])('finds %s', (text) => expect(found(text)).toHaveLength(1));

  it.each([
    'const names = new Set(["a"]);\nexport const has = (name: string) => names.has(name);',
    'const pattern = new RegExp("a");',
    'const names = ["a"];\nexport const first = () => names[0];',
    'const [FIRST, SECOND] = [1, 2];\nexport const end = (list: List) => list.last().push(FIRST + SECOND);',
    'const parse = memoize((text) => JSON.parse(text));',
    'class A {\n  static readonly size = 1;\n  readonly #known = new Map();\n}',
    'function list() {\n  let at = 0;\n  const names = new Set();\n  names.add(at++);\n}',
    'declare let NINEFOLD_BUILD: string;',
  ])('accepts %s', (text) => expect(found(text)).toEqual([]));
});
