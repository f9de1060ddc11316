import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccessExplanation } from '../../../../../contract/access.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { type Mark, Verdict } from '../../../../ui/verdict.tsx';
import { MemberField } from '../../../chapters/member-field.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { explanation, questionOf, sameRow } from '../../../queries/explain.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { user } from '../../../queries/users.ts';
import { nameOf } from '../../users/user-words.ts';
import styles from './row-panel.module.css';

const MAX_STEPS = 3;

/**
 * Returns the members whom a row names, each with the first field that names the member: fields that reference an
 * account, or a row whose key is an account. Pure.
 */
function membersOf(entity: Entity, row: Row, entities: readonly Entity[]): { member: string; field: string }[] {
  const found = new Map<string, string>();
  for (const { name } of entity.fields) {
    const value = row[name];
    if (typeof value === 'string' && isAccount(entity, name, entities, MAX_STEPS) && !found.has(value)) {
      found.set(value, name);
    }
  }
  return [...found].map(([member, field]) => ({ member, field }));
}

/** Returns true if the values of a field are ids of accounts. */
function isAccount(entity: Entity, name: string, entities: readonly Entity[], steps: number): boolean {
  const to = entity.fields.find((field) => field.name === name)?.references;
  if (!to || steps === 0) return false;
  if (to.schema === 'auth' && to.entity === 'users') return to.field === 'id';
  const target = entities.find((one) => one.schema === to.schema && one.name === to.entity);
  return target !== undefined && isAccount(target, to.field, entities, steps - 1);
}

const operations = ['select', 'update', 'delete'] as const;
type Operation = (typeof operations)[number];

/**
 * Tries each operation on a row as the callers that may get different results: anonymous, the members whom the row
 * names, and a chosen member.
 */
export function RowAccess({
  table,
  entities,
  row,
  rowKey,
}: {
  table: Table;
  entities: readonly Entity[];
  row: Row;
  rowKey: readonly string[];
}) {
  const { requestRole } = table;
  const [chosen, setChosen] = useState<string | null>(null);
  const [shown, setShown] = useState<{ caller: string; operation: Operation } | null>(null);
  const named = membersOf(table.entity, row, entities);
  const others = [requestRole, chosen].flatMap((id) =>
    id === null || id === 'service' || id === 'anon' || named.some(({ member }) => member === id)
      ? []
      : [{ member: id, field: null }],
  );
  const callers = [{ member: 'anon', field: null }, ...named, ...others];
  return (
    <>
      <p className={styles.note}>Who may do what with this row? Tried now, rolled back.</p>
      <table className={styles.access}>
        <thead>
          <tr>
            <th scope="col">Caller</th>
            {operations.map((operation) => (
              <th key={operation} scope="col">
                {operation}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {callers.map((caller) => (
            <Caller
              key={caller.member}
              {...{ table, row, rowKey, caller }}
              onShow={(operation) => setShown({ caller: caller.member, operation })}
            />
          ))}
        </tbody>
      </table>
      {shown && <Reason key={`${shown.caller} ${shown.operation}`} {...{ table, row, rowKey }} {...shown} />}
      <MemberField appRef={table.ref} member={chosen} onMember={setChosen} />
    </>
  );
}

interface OfRow {
  table: Table;
  row: Row;
  rowKey: readonly string[];
}

const question = ({ table, row, rowKey }: OfRow, caller: string, operation: Operation) =>
  explanation(table.ref, questionOf(operation, table.entity, caller, rowKey, sameRow(table.entity, row)));

function Caller({
  caller: { member, field },
  onShow,
  ...ofRow
}: OfRow & { caller: { member: string; field: string | null }; onShow: (operation: Operation) => void }) {
  const isMember = member !== 'anon';
  const { data } = useQuery({ ...user(ofRow.table.ref, member), enabled: isMember, retry: false });
  const results = useQueries({ queries: operations.map((operation) => question(ofRow, member, operation)) });
  const name = isMember ? (data ? nameOf(data) : 'A member') : 'anon';
  return (
    <tr>
      <th scope="row" title={name}>
        <span className="cut">{name}</span>
        {field !== null && <small>{field}</small>}
      </th>
      {operations.map((operation, place) => {
        const result = results[place];
        const [mark, words] = verdictOf(result?.data, result?.isError ?? false);
        return (
          <td key={operation}>
            <button
              type="button"
              className={styles.verdict}
              aria-label={`${name}, ${operation}: ${words}. Show why`}
              onClick={() => onShow(operation)}
            >
              {mark === null ? '…' : <Verdict of={mark} words={words} />}
            </button>
          </td>
        );
      })}
    </tr>
  );
}

/** Returns the mark and the word for the result of a tried operation. */
function verdictOf(explained: AccessExplanation | undefined, isFailed: boolean): [mark: Mark | null, words: string] {
  if (isFailed) return ['disagrees', 'not tried'];
  switch (explained?.outcome) {
    case undefined:
      return [null, 'being tried'];
    case 'allowed':
      return ['always', 'yes'];
    case 'undecided':
      return ['disagrees', 'not known'];
    default:
      return ['never', 'no'];
  }
}

/** Explains the verdict for one operation and caller, with a link to the cell of chapter 6. */
function Reason({ caller, operation, ...ofRow }: OfRow & { caller: string; operation: Operation }) {
  const { data, error } = useQuery(question(ofRow, caller, operation));
  const { ref, entity } = ofRow.table;
  return (
    <p className={styles.reason} role="status">
      {error ? failureFacts(error).message : (data?.reason ?? 'Trying …')}{' '}
      <Link
        to="/app/$ref/roles"
        params={{ ref }}
        search={{ cell: `${entity.id} ${operation} ${data?.as.role ?? 'authenticated'}` }}
      >
        Chapter 6
      </Link>
    </p>
  );
}
