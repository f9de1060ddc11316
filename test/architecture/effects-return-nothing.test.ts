import { describe, expect, it } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';
import { childrenOf, isNode, type Node, positionOf, treeOf } from './syntax-tree.ts';

/**
 * React calls the value that an effect or a ref callback returns. A browser function may return undefined in one
 * release and a promise in the next, as `scrollIntoView` did. React then throws when the component unmounts. So the
 * callback of an effect is an inline function with a body in braces. It returns nothing or an inline function.
 */
const effect = /^use\w*(?:Effect|DidUpdate)$/;

const isFunction = (value: unknown): boolean =>
  isNode(value) && ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'].includes(value.type);

/**
 * Returns the last name of the callee, for example `useEffect` of `React.useEffect`; '' for a callee without a name.
 */
function nameOf(callee: unknown): string {
  if (!isNode(callee)) return '';
  if (callee.type === 'Identifier') return String(callee.name);
  return callee.type === 'MemberExpression' ? nameOf(callee.property) : '';
}

/** Returns the return statements of a function, without those of nested functions. */
const returnsOf = (node: Node): Node[] =>
  isFunction(node) ? [] : node.type === 'ReturnStatement' ? [node] : childrenOf(node).flatMap(returnsOf);

/** Returns true if the callback returns nothing or an inline function. */
function isSafe(callback: Node): boolean {
  if (callback.async === true || callback.generator === true || !isNode(callback.body)) return false;
  if (callback.body.type !== 'BlockStatement') return isFunction(callback.body);
  return childrenOf(callback.body)
    .flatMap(returnsOf)
    .every(({ argument }) => argument === null || isFunction(argument));
}

/** Returns the callbacks below a node whose result React uses: those of effects, and functions in `ref` attributes. */
function callbacksOf(node: Node): Node[] {
  const nested = childrenOf(node).flatMap(callbacksOf);
  if (node.type === 'CallExpression' && effect.test(nameOf(node.callee))) {
    const [callback] = Array.isArray(node.arguments) ? node.arguments : [];
    return isNode(callback) ? [callback, ...nested] : nested;
  }
  if (node.type === 'JSXAttribute' && isNode(node.name) && node.name.name === 'ref' && isNode(node.value)) {
    return [...[node.value.expression].filter(isNode).filter(isFunction), ...nested];
  }
  return nested;
}

/** Returns the positions of effects and ref callbacks that may return a value of another function. */
const unsafe = (file: SourceFile): string[] =>
  callbacksOf(treeOf(file))
    .filter((callback) => !isSafe(callback))
    .map((callback) => positionOf(file, callback));

describe('effects and ref callbacks of the console', () => {
  it('return nothing or an inline function', () => {
    const sources = sourceFiles(['web']).filter(({ path }) => !isTest(path));
    expect(sources.flatMap(({ text }) => text.match(/\buse\w*Effect\(/g) ?? []).length).toBeGreaterThan(20);
    expect(sources.flatMap(unsafe)).toEqual([]);
  });
});

describe('unsafe', () => {
  it.each([
    'useEffect(() => box.scrollIntoView(), []);',
    'useEffect(() => void box.scrollIntoView(), []);',
    'useEffect(() => { return box.scrollTo(0, 0); }, []);',
    'useLayoutEffect(function () { if (open) return box.focus(); }, []);',
    'React.useEffect(() => bind(keys), [keys]);',
    'useEffect(async () => { await load(); }, []);',
    'useEffect(load, []);',
    'useDidUpdate(() => list.scrollBy(0, 1), [at]);',
    'const a = <div ref={(box) => box?.scrollIntoView()} />;',
    'const a = <div ref={(box) => (kept.current = box)} />;',
  ])('finds %s', (text) => expect(unsafe({ path: 'web/example.tsx', text })).toEqual(['web/example.tsx:1']));

  it.each([
    'useEffect(() => { box.scrollIntoView(); }, []);',
    'useEffect(() => { const end = bind(keys); return () => end(); }, [keys]);',
    'useEffect(() => () => abort.current?.abort(), []);',
    'useEffect(() => { list.forEach((one) => { return one.focus(); }); if (done) return; }, []);',
    'const shown = useEffectEvent(() => list.scrollTo(0, 0));',
    'const a = <div ref={(box) => { kept.current = box; }} />;',
    'const a = <div ref={box} />;',
  ])('accepts %s', (text) => expect(unsafe({ path: 'web/example.tsx', text })).toEqual([]));
});
