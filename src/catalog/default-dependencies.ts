import { nodesOf } from './node-tree.ts';

/** Objects for which a caller needs privileges if it omits an argument. */
export interface DefaultDependencies {
  /** Values of pg_proc.oid. */
  functions: number[];
  /** Values of pg_class.oid of the relations in regclass constants, such as the sequence of `nextval`. */
  relations: number[];
  /**
   * Values of pg_type.oid of the types to which the default is converted (CoerceToDomain and similar nodes). For a
   * domain, PostgreSQL runs its checks.
   */
  types: number[];
}

/**
 * Returns the objects that the defaults of a function's arguments use, in order, including functions of operators. The
 * expressions are parsed, because pg_depend does not separate the objects of the defaults from the objects of the
 * function's body.
 * @param tree Value of pg_proc.proargdefaults, a list of node trees: `({FUNCEXPR :funcid 16390 …} {CONST …})`.
 */
export const defaultDependencies = (tree: string): DefaultDependencies[] => nodesOf(tree).map(needsOf);

const regclass = 2205;
const constants = new RegExp(`\\{CONST :consttype ${regclass} [^{}]*?:constvalue 4 \\[((?: -?\\d+)+) \\]`, 'g');

function needsOf(expression: string): DefaultDependencies {
  const found = (pattern: RegExp) => [...new Set([...expression.matchAll(pattern)].map(([, oid]) => Number(oid)))];
  const relations = [...expression.matchAll(constants)].map(([, bytes]) => oidOf(bytes ?? ''));
  return {
    functions: found(/ :(?:func|opfunc)id (\d+)/g).filter((oid) => oid !== 0),
    relations: [...new Set(relations)],
    types: found(/ :resulttype (\d+)/g),
  };
}

/**
 * Returns the number in the bytes of a constant, least significant byte first. PostgreSQL prints bytes above 127 as
 * negative numbers.
 */
const oidOf = (bytes: string): number =>
  bytes
    .trim()
    .split(' ')
    .slice(0, 4)
    .reduce((oid, byte, i) => oid + (Number(byte) & 255) * 256 ** i, 0);
