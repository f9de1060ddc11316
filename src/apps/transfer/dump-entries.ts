/** An object in the text of pg_dump. */
export interface DumpEntry {
  /** Kind of the object: TABLE, FUNCTION, ACL … */
  readonly type: string;
  readonly schema: string | null;
  readonly name: string;
  /** Role that owns the object; null if pg_dump gives none. */
  readonly owner: string | null;
  /** Statements that create the object. */
  readonly sql: string;
  /** The statement ALTER … OWNER TO that follows them; null if there is none. */
  readonly ownership: string | null;
}

/** A comment of pg_dump above each object. Only the last field cannot contain text of an app's owner. */
const HEADER = /--\n-- Name: (.*); Type: (.*); Schema: (.*); Owner: (.*)\n--\n/y;
const END = '--\n-- PostgreSQL database dump complete\n--';
/** The next place outside of quotes that ends a statement or begins a quoted text or a comment. */
const SPECIAL = /['"$;]|--|\/\*/g;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const WORD = /[\w$\u0080-\uffff]/;

/** Settings that pg_dump changes between objects. They have the values of a new session. */
const SETTING = /^SET default_(?:tablespace|table_access_method) = [^;]*;$/;
/** The superuser runs these statements. The pattern ends with one identifier, so no expression of an owner matches it. */
const OWNERSHIP = /^ALTER [A-Z ]+ .* OWNER TO (?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+");$/s;

/**
 * Splits the plain text of `pg_dump --schema-only --no-tablespaces` into its objects. An app's owner chooses names, bodies
 * of functions and constants of the text, so a comment counts as the start of an object only outside of quotes.
 * @throws Error if the text is incomplete.
 */
export function readDumpEntries(text: string): DumpEntry[] {
  const entries: DumpEntry[] = [];
  let head: RegExpExecArray | null = null;
  let start = 0;
  let ends: number[] = [];
  const close = (end: number) => {
    if (head) entries.push(makeEntry(head, text, start, end, ends));
    ends = [];
  };
  let at = 0;
  for (;;) {
    SPECIAL.lastIndex = at;
    const found = SPECIAL.exec(text);
    if (!found) throw new Error('pg_dump wrote an incomplete dump');
    const place = found.index;
    if (found[0] === ';') {
      ends.push(place + 1);
      at = place + 1;
      continue;
    }
    if (found[0] === '--') {
      if (text.startsWith(END, place)) {
        close(place);
        return entries;
      }
      HEADER.lastIndex = place;
      const next = HEADER.exec(text);
      if (next) {
        close(place);
        head = next;
        start = HEADER.lastIndex;
      }
      at = next ? start : endOf(text, '\n', place);
      continue;
    }
    at = endOfQuoted(text, found[0], place);
  }
}

function endOfQuoted(text: string, opening: string, place: number): number {
  if (opening === '/*') return endOfComment(text, place);
  if (opening === '"') return endOf(text, '"', place + 1);
  if (opening === "'") {
    const isEscaped = /[eE]/.test(text[place - 1] ?? '') && !WORD.test(text[place - 2] ?? '');
    return isEscaped ? endOfEscaped(text, place + 1) : endOf(text, "'", place + 1);
  }
  DOLLAR.lastIndex = place;
  const tag = WORD.test(text[place - 1] ?? '') ? null : DOLLAR.exec(text)?.[0];
  return tag ? endOf(text, tag, place + tag.length) : place + 1;
}

function endOf(text: string, closing: string, from: number): number {
  const end = text.indexOf(closing, from);
  if (end === -1) throw new Error('pg_dump wrote an incomplete dump');
  return end + closing.length;
}

function endOfEscaped(text: string, from: number): number {
  let at = from;
  while (text[at] !== "'") {
    if (at >= text.length) throw new Error('pg_dump wrote an incomplete dump');
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

/** Comments of this form can be nested. */
function endOfComment(text: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  for (let depth = 0; ; ) {
    const found = mark.exec(text);
    if (!found) throw new Error('pg_dump wrote an incomplete dump');
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
}

function makeEntry(head: RegExpExecArray, text: string, start: number, end: number, ends: number[]): DumpEntry {
  const [, name = '', type = '', schema = '-', owner = '-'] = head;
  let ownership: string | null = null;
  let last = ends.length - 1;
  for (; last >= 0; last--) {
    const statement = text.slice(ends[last - 1] ?? start, ends[last]).trim();
    if (OWNERSHIP.test(statement)) ownership = statement;
    else if (!SETTING.test(statement)) break;
  }
  const rest = last >= 0 && ends[last] !== undefined ? text.slice(start, ends[last]).trim() : '';
  if (ends.length === 0 && text.slice(start, end).trim() !== '') throw new Error('pg_dump wrote an incomplete dump');
  return {
    ...{ type, name, sql: rest, ownership },
    schema: schema === '-' ? null : schema,
    owner: owner === '-' || owner === '' ? null : owner,
  };
}
