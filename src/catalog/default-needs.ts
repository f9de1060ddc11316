/** What somebody must be allowed to use who leaves an argument out. */
export interface DefaultNeeds {
  /** pg_proc.oid. */
  functions: number[];
  /** pg_class.oid of whatever a regclass names: a sequence, where `nextval` takes from it. */
  relations: number[];
  /** pg_type.oid of what it turns values into (CoerceToDomain and the like): of a domain, the checks are asked. */
  types: number[];
}

/**
 * What the defaults of a function's arguments call, in their order: pg_proc.proargdefaults, a list of expressions, `({FUNCEXPR :funcid 16390
 * …} {CONST …})`. Functions of operators are among them. PostgreSQL keeps what an argument depends on together with what the body does, so
 * that the expressions alone tell. Braces nest; a backslash takes the next character as it is.
 */
export function defaultNeeds(tree: string): DefaultNeeds[] {
  const needs: DefaultNeeds[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < tree.length; at++) {
    if (tree[at] === '\\') at += 1;
    else if (tree[at] === '{' && depth++ === 0) start = at;
    else if (tree[at] === '}' && --depth === 0) needs.push(needsOf(tree.slice(start, at + 1)));
  }
  return needs;
}

const regclass = 2205;
const constants = new RegExp(`\\{CONST :consttype ${regclass} [^{}]*?:constvalue 4 \\[((?: -?\\d+)+) \\]`, 'g');

function needsOf(expression: string): DefaultNeeds {
  const found = (pattern: RegExp) => [...new Set([...expression.matchAll(pattern)].map(([, oid]) => Number(oid)))];
  const relations = [...expression.matchAll(constants)].map(([, bytes]) => oidOf(bytes ?? ''));
  return {
    functions: found(/ :(?:func|opfunc)id (\d+)/g).filter((oid) => oid !== 0),
    relations: [...new Set(relations)],
    types: found(/ :resulttype (\d+)/g),
  };
}

/** The number that the bytes of a constant are, the lowest first; those above 127 are printed as negative ones. */
const oidOf = (bytes: string): number =>
  bytes
    .trim()
    .split(' ')
    .slice(0, 4)
    .reduce((oid, byte, i) => oid + (Number(byte) & 255) * 256 ** i, 0);
