/** Matches a string with its type, which PostgreSQL writes after `::`. */
const castText =
  /('(?:[^']|'')*')::(?:"[^"]+"\.|\w+\.)?(?:"[^"]+"|character varying|timestamp with(?:out)? time zone|\w+)(?:\(\d+\))?(?:\[\])*/g;

/**
 * Simplifies an expression that PostgreSQL printed. Removes types after strings, outer parentheses, and the alias in
 * queries that return one value. The result is for reading, not for execution. Pure.
 */
export function plainSql(expression: string): string {
  const plain = expression
    .replace(castText, '$1')
    .replace(/\( SELECT ([\w.]+\([^()]*\)) AS \w+\)/g, '$1')
    .replace(/\bCOALESCE\(/g, 'coalesce(');
  return enclosed(plain) ? plain.slice(1, -1) : plain;
}

/**
 * Simplifies a statement that PostgreSQL printed. Removes the alias in queries that return one value, and the type
 * after the name of a role. The result can be executed. Pure.
 */
export const tidySql = (statement: string): string =>
  statement
    .replace(/\(\s*SELECT ([\w.]+\([^()]*\)) AS \w+\)/g, '(select $1)')
    .replace(/\bhas_role\(('(?:[^']|'')*')::text\)/g, 'has_role($1)');

/** Returns true if the last character is the parenthesis that closes the first one. */
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
