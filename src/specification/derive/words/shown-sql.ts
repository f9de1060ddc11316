const TYPE = String.raw`(?:"(?:[^"]|"")*"|[A-Za-z_]\w*)(?:\.(?:"(?:[^"]|"")*"|\w+))?(?: (?:varying|precision))?(?:\(\d+(?:,\s*\d+)?\))?(?: with(?:out)? time zone)?(?:\[\])*`;

/** Matches, from the left: a string with its cast, a number in brackets or a NULL with its cast, a quoted name, a schema, white space. */
const parts = new RegExp(
  String.raw`(E?'(?:[^'\\]|''|\\.)*')(?:::${TYPE})?|\((-?\d+(?:\.\d+)?)\)::${TYPE}|(\bNULL)::${TYPE}|"(?:[^"]|"")*"|\bpublic\.|\s+`,
  'g',
);

/**
 * Returns SQL on one line as a text for readers: without the casts that PostgreSQL prints after literals, and without the
 * schema public. The specification contains the exact SQL beside each such text.
 */
export const shownSql = (sql: string): string =>
  sql
    .replace(parts, (part, string?: string, number?: string, empty?: string) => {
      const literal = string ?? number ?? empty;
      if (literal !== undefined) return literal;
      if (part.startsWith('"')) return part;
      return part === 'public.' ? '' : ' ';
    })
    .trim();
