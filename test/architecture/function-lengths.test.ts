import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';

/** Most lines of a function. Biome's rule does not count the lines of JSX text, so it accepts longer components. */
const maxLines = 80;

const functions = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** Returns the nodes of a syntax tree (ESTree) below a value. */
function nodesOf(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Record<string, unknown>;
  return [...(typeof node.type === 'string' ? [node] : []), ...Object.values(node).flatMap(nodesOf)];
}

/** Returns the functions of a file with more than `max` lines, by path and name. */
function longFunctions({ path, text }: SourceFile, max: number): string[] {
  const { program, errors } = parseSync(path, text);
  expect(errors).toEqual([]);
  return nodesOf(program.body)
    .filter(({ type }) => functions.includes(String(type)))
    .filter(({ start, end }) => text.slice(Number(start), Number(end)).split('\n').length > max)
    .map(({ id }) => `${path}: ${(id as { name?: string } | null)?.name ?? 'a function without a name'}`);
}

describe('longFunctions', () => {
  it('counts the lines of JSX text', () => {
    const text = 'export function Long() {\n  return (\n    <p>\n      one\n      two\n    </p>\n  );\n}\n';
    const file = { path: 'web/example.tsx', text };
    expect(longFunctions(file, 7)).toEqual(['web/example.tsx: Long']);
    expect(longFunctions(file, 8)).toEqual([]);
  });
});

describe('functions of the web applications', () => {
  it(`have at most ${maxLines} lines`, () => {
    const sources = sourceFiles(['web'], /\.tsx?$/).filter(({ path }) => !isTest(path));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap((file) => longFunctions(file, maxLines))).toEqual([]);
  });
});
