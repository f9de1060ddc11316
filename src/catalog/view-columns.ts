/**
 * The column of a table that a column of a view shows. PostgreSQL stores it in the parse tree of the view's rule
 * (pg_rewrite.ev_action), in `resorigtbl` and `resorigcol` of the target list of the outermost query.
 */
export interface ViewColumnOrigin {
  /** Number of the view's column. */
  readonly column: number;
  /** Oid of the table or view whose column is shown. */
  readonly table: number;
  /** Number of the column in that table or view. */
  readonly tableColumn: number;
}

/**
 * Reads column origins from a node tree:
 * `({QUERY … :targetList ({TARGETENTRY … :resno 1 … :resorigtbl 16385 :resorigcol 1 …} …) …})`. Braces nest; a
 * backslash escapes the next character. Columns that show an expression are left out.
 */
export function viewColumnOrigins(tree: string): ViewColumnOrigin[] {
  const origins: ViewColumnOrigin[] = [];
  let depth = 0;
  let inTargetList = false;
  let column = 0;
  let table = 0;
  let pos = 0;
  while (pos < tree.length) {
    const char = tree[pos];
    if (char === '\\') {
      pos += 2;
    } else if (char === '{') {
      depth += 1;
      pos += 1;
    } else if (char === '}') {
      depth -= 1;
      pos += 1;
    } else if (char === ':' && depth <= 2) {
      const [word, value, end] = fieldAt(tree, pos);
      if (depth === 1) inTargetList = word === 'targetList';
      else if (inTargetList && word === 'resno') column = Number(value);
      else if (inTargetList && word === 'resorigtbl') table = Number(value);
      else if (inTargetList && word === 'resorigcol' && table !== 0) {
        origins.push({ column, table, tableColumn: Number(value) });
      }
      pos = end;
    } else {
      pos += 1;
    }
  }
  return origins;
}

/**
 * Reads the field name at a colon and the field's numeric value, which is empty if the value is not a number. Also
 * returns the offset at which to continue.
 */
function fieldAt(tree: string, colon: number): [string, string, number] {
  const pattern = /:(\w+) ?(\d*)/y;
  pattern.lastIndex = colon;
  const match = pattern.exec(tree);
  return match ? [match[1] as string, match[2] as string, pattern.lastIndex] : ['', '', colon + 1];
}
