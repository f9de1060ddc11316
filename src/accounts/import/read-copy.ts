import { type Line, readLines } from './read-lines.ts';

/** A row of a COPY block. */
export interface CopyRow {
  readonly line: number;
  readonly table: 'users' | 'identities';
  /** The values by column; null if the line is too long, or if it has more or fewer values than there are columns. */
  readonly values: Readonly<Record<string, string | null>> | null;
}

const HEAD = /^COPY "?auth"?\."?(users|identities)"? \(([^)]*)\) FROM stdin;\r?$/i;
const INSERT = /^INSERT INTO "?auth"?\."?users"?/i;

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Returns the value of a field in the text format of COPY (PostgreSQL manual, COPY, "Text Format"). */
const copyValue = (field: string): string | null =>
  field === '\\N'
    ? null
    : field.replace(/\\(?:x([0-9a-f]{1,2})|([0-7]{1,3})|(.))/gis, (_, hex?: string, octal?: string, other = '') =>
        hex !== undefined
          ? String.fromCharCode(Number.parseInt(hex, 16))
          : octal !== undefined
            ? String.fromCharCode(Number.parseInt(octal, 8) & 0xff)
            : (ESCAPES[other] ?? other),
      );

/**
 * Returns the rows of auth.users and auth.identities in a dump of pg_dump.
 * @throws SyntaxError for a dump with INSERT statements or without auth.users
 */
export async function* readCopy(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<CopyRow> {
  let block: { table: CopyRow['table']; columns: readonly string[] } | null = null;
  let hasUsers = false;
  for await (const { number, bytes } of readLines(chunks, maxBytes) as AsyncIterable<Line>) {
    const text = bytes?.toString('utf8') ?? null;
    if (block === null) {
      if (text !== null && INSERT.test(text)) {
        throw new SyntaxError(
          `Line ${number}: a dump with INSERT statements cannot be read. Dump with COPY: supabase db dump --data-only --use-copy`,
        );
      }
      const [, table, columns] = (text !== null && HEAD.exec(text)) || [];
      if (table === undefined || columns === undefined) continue;
      block = {
        table: table.toLowerCase() === 'users' ? 'users' : 'identities',
        columns: columns.split(',').map((name) => name.trim().replace(/^"(.*)"$/, '$1')),
      };
      hasUsers ||= block.table === 'users';
    } else if (text !== null && /^\\\.\r?$/.test(text)) {
      block = null;
    } else {
      const fields = text?.replace(/\r$/, '').split('\t');
      const { table, columns } = block;
      const values =
        fields?.length === columns.length
          ? Object.fromEntries(columns.map((name, i) => [name, copyValue(fields[i] ?? '')]))
          : null;
      yield { line: number, table, values };
    }
  }
  if (block !== null) throw new SyntaxError('The file ends within a COPY block.');
  if (!hasUsers) throw new SyntaxError('The file has no COPY block of auth.users.');
}
