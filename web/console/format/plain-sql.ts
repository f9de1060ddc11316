/** Type names as PostgreSQL writes them after `::` behind a text. */
const castText =
  /('(?:[^']|'')*')::(?:"[^"]+"\.|\w+\.)?(?:"[^"]+"|character varying|timestamp with(?:out)? time zone|\w+)(?:\(\d+\))?(?:\[\])*/g;

/**
 * An expression as PostgreSQL gives it back, without what only a machine needs: the types behind texts, the brackets
 * around the whole, the names of one-value queries. To be read, not to be run. Pure.
 */
export function plainSql(expression: string): string {
  const plain = expression
    .replace(castText, '$1')
    .replace(/\( SELECT ([\w.]+\([^()]*\)) AS \w+\)/g, '$1')
    .replace(/\bCOALESCE\(/g, 'coalesce(');
  return enclosed(plain) ? plain.slice(1, -1) : plain;
}

/**
 * A statement as PostgreSQL gives its parts back, to be read and to be run: without the names of one-value queries, and
 * without the type behind the name of a role. Pure.
 */
export const tidySql = (statement: string): string =>
  statement
    .replace(/\(\s*SELECT ([\w.]+\([^()]*\)) AS \w+\)/g, '(select $1)')
    .replace(/\bhas_role\(('(?:[^']|'')*')::text\)/g, 'has_role($1)');

/** Whether the first bracket closes with the last character. */
function enclosed(expression: string): boolean {
  if (
    !expression.startsWith('(') ||
    !expression.endsWith(')') ||
    expression.includes("'(") ||
    expression.includes(")'")
  )
    return false;
  let depth = 0;
  for (const [place, character] of [...expression].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0 && place < expression.length - 1) return false;
  }
  return depth === 0;
}
