import { parseSync } from 'vite';
import type { SourceFile } from './source-files.ts';

/** A node of the syntax tree (ESTree). */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

/** Returns the direct children of a node. */
export const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value): Node[] => (Array.isArray(value) ? value : [value]).filter(isNode));

/** Returns the tree of a file. */
export function treeOf({ path, text }: SourceFile): Node {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0 || !isNode(program)) throw new Error(`${path} has no syntax tree: ${JSON.stringify(errors)}`);
  return program;
}

/** Returns the position of a node in the form that editors link. */
export const positionOf = ({ path, text }: SourceFile, { start }: Node): string =>
  `${path}:${text.slice(0, start).split('\n').length}`;
