import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { isTest, sourceFiles } from './source-files.ts';

/** A node of the syntax tree (ESTree). */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

/** Returns true for a string that looks like UI text: it begins with a capital letter or contains several words. */
const isText = (text: string): boolean => /^\s*\p{Lu}\p{Ll}/u.test(text) || /\p{L}{2,}\s+\p{L}{2,}/u.test(text);

/** Attributes whose values the page does not show. */
const HIDDEN = /^(autoComplete|className|data-\w+|rel|to|type|kind|role|style)$/;

/** Returns true for a call with more than one argument. */
const hasValues = ({ arguments: values }: Node): boolean => Array.isArray(values) && values.length > 1;

/** Returns true for a node whose strings the page does not show, such as an import or the message key of `t`. */
function isInternal(node: Node): boolean {
  const name = (value: unknown): string => (isNode(value) ? String(value.name ?? '') : '');
  switch (node.type) {
    case 'ImportDeclaration':
      return true;
    case 'BinaryExpression':
      return ['===', '!==', 'in'].includes(String(node.operator));
    case 'CallExpression':
      return name(node.callee) === 'lazyRouteComponent' || (name(node.callee) === 't' && !hasValues(node));
    case 'NewExpression':
      return name(node.callee) === 'Error';
    case 'JSXAttribute':
      return HIDDEN.test(name(node.name));
    default:
      return /^TS(?!As|NonNull|Satisfies)/.test(node.type);
  }
}

function textsIn(path: string, source: string): string[] {
  const found: string[] = [];
  const add = (node: Node, text: unknown, isShown: (text: string) => boolean): void => {
    if (typeof text !== 'string' || !isShown(text)) return;
    found.push(`${path}:${source.slice(0, node.start).split('\n').length}: ${text.trim()}`);
  };
  const visit = (node: Node): void => {
    if (isInternal(node)) return;
    if (node.type === 'JSXText') add(node, node.value, (text) => /\p{L}/u.test(text));
    if (node.type === 'Literal') add(node, node.value, isText);
    if (node.type === 'TemplateElement') add(node, Reflect.get(node.value as object, 'cooked'), isText);
    for (const [key, value] of Object.entries(node)) {
      // Names of properties and the values that a switch compares are not shown.
      if ((key === 'key' && node.type === 'Property') || (key === 'test' && node.type === 'SwitchCase')) continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  };
  visit(parseSync(path, source).program as unknown as Node);
  return found;
}

/** Components that only the console uses. The console is in English, so their UI text is not in the message catalog. */
const ofConsole = new Set(['web/fields/calendar.tsx', 'web/fields/json-field.tsx', 'web/fields/time-field.tsx']);

it('components of the pages for members contain no literal UI text, because texts are in the message catalog', () => {
  const files = sourceFiles(['web/portal', 'web/fields'], /\.tsx$/).filter(
    ({ path }) => !isTest(path) && !ofConsole.has(path),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.flatMap(({ path, text }) => textsIn(path, text))).toEqual([]);
});

it.each([
  ['<b>Save</b>', 1],
  ['<b title="Save it now" />', 1],
  ['<b title={a ? `Remove it` : t("remove")}>{key === "Escape"}</b>', 1],
  ['<b className="a b" title={t("Save it")}>{count} ×</b>', 0],
])('the search finds the literal UI texts of %s', (source, count) => {
  expect(textsIn('a.tsx', `const x = ${source};`)).toHaveLength(count);
});
