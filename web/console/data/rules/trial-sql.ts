/** What is tried on every row of a table. */
export interface Trial {
  /** Id of the table as SQL takes it: public."Order lines". */
  table: string;
  /** Fields that tell one row from the others; empty where there are none. */
  key: readonly string[];
  rule: TriedRule;
}

/** An expression as it would stand within CHECK ( … ), fields that must have a value, or fields that no two rows may share. */
export type TriedRule =
  | { kind: 'check'; expression: string }
  | { kind: 'required'; fields: readonly string[] }
  | { kind: 'unique'; fields: readonly string[] };

/** How many rows that break a rule are named. */
const examples = 5;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The last part of an id: public."Order lines" → "Order lines". */
const ownName = (id: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(id)?.[0] ?? id;

/**
 * The statements that count the rows which break a rule, without touching the table: the rule is put on an empty copy first, so that
 * PostgreSQL says whether it is one, and what is counted is read in a transaction that may no longer write and is rolled back.
 * Results by their order: `rows` is the fifth, the rows named the sixth. As in a CHECK, a row breaks the rule where it is false, not
 * where it is unknown; as in UNIQUE, rows without a value share nothing. With row_security off PostgreSQL refuses to count rather than
 * leave out what the owner may not see.
 */
export function trialSql({ table, key, rule }: Trial): string {
  const copy = ownName(table);
  const columns = key.length > 0 ? key.map(quoted).join(', ') : 'ctid';
  const { constraint, broken } = partsOf(table, rule);
  return `create temporary table ${copy} (like ${table}) on commit drop;
alter table pg_temp.${copy} add constraint tried ${constraint};
set transaction read only;
set local row_security = off;
select count(*) filter (where ${broken}) as broken, count(*) as rows from only ${table};
select ${columns} from only ${table} where ${broken} limit ${examples};
rollback;`;
}

/** The rule as a constraint, and the condition under which a row breaks it. */
function partsOf(table: string, rule: TriedRule): { constraint: string; broken: string } {
  if (rule.kind === 'unique') {
    const fields = rule.fields.map(quoted).join(', ');
    const given = rule.fields.map((field) => `${quoted(field)} is not null`).join(' and ');
    const shared = `select ${fields} from only ${table} where ${given} group by ${fields} having count(*) > 1`;
    return { constraint: `unique (${fields})`, broken: `${given} and (${fields}) in (${shared})` };
  }
  const expression =
    rule.kind === 'check' ? rule.expression : rule.fields.map((field) => `${quoted(field)} is not null`).join(' and ');
  return { constraint: `check (\n${expression}\n)`, broken: `(\n${expression}\n) is false` };
}
