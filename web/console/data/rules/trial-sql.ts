/** What is tried: an expression that every row of a table is to fulfil. */
export interface Trial {
  /** Id of the table as SQL takes it: public."Order lines". */
  table: string;
  /** Fields that tell one row from the others; empty where there are none. */
  key: readonly string[];
  /** As it would stand within CHECK ( … ). */
  expression: string;
}

/** How many rows that break a rule are named. */
const examples = 5;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The last part of an id: public."Order lines" → "Order lines". */
const ownName = (id: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(id)?.[0] ?? id;

/**
 * The statements that count the rows which break a rule, without touching the table: the rule is put on an empty copy first, so that
 * PostgreSQL says whether it is one, and what is counted is read in a transaction that may no longer write and is rolled back.
 * Results by their order: `rows` is the fifth, the rows named the sixth. As in a CHECK, a row breaks the rule where it is false, not
 * where it is unknown. With row_security off PostgreSQL refuses to count rather than leave out what the owner may not see.
 */
export function trialSql({ table, key, expression }: Trial): string {
  const copy = ownName(table);
  const columns = key.length > 0 ? key.map(quoted).join(', ') : 'ctid';
  return `create temporary table ${copy} (like ${table}) on commit drop;
alter table pg_temp.${copy} add constraint tried check (
${expression}
);
set transaction read only;
set local row_security = off;
select count(*) filter (where (
${expression}
) is false) as broken, count(*) as rows from only ${table};
select ${columns} from only ${table} where (
${expression}
) is false limit ${examples};
rollback;`;
}
