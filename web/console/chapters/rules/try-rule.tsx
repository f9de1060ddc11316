import { NativeSelect, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, type Ref, useId } from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { highlight } from '../../../ui/highlight.ts';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { liveValueClass } from '../../../ui/live-value.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { count, counted, percent, shortId } from '../../format/format.ts';
import { SqlLink } from '../../layout/sql-link.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { keyFields, keyText } from '../../queries/rows/row.ts';
import { type TrialResult, type TriedRule, tryRule } from '../../queries/rules.ts';
import { sqlFailureOf } from '../../queries/sql.ts';
import { keepSql } from './rule-words.ts';
import styles from './rules.module.css';

/** The values of the form for a rule that is tested. */
export interface Draft {
  /** Id of an entity. */
  entity: string;
  expression: string;
  /** Kind of the rule; absent for an expression. */
  kind?: TriedRule['kind'];
  /** Fields of the rule, for the kinds that apply to fields. */
  fields?: readonly string[];
}

/** Returns true if the SQL contains another statement after a semicolon, outside of texts and comments. */
const isSeveral = (sql: string): boolean =>
  highlight(sql, 'sql').some(({ kind, text }) => kind === 'plain' && text.includes(';'));

const kinds = [
  ['check', 'Condition'],
  ['required', 'Has a value'],
  ['unique', 'No two rows share'],
] as const;

/** Form that tests a new rule: it counts the rows that would break the rule, and changes nothing. */
export function TryRule({
  appRef,
  tables,
  suggested,
  draft,
  onDraft,
  field,
}: {
  appRef: string;
  /** The tables that can have a rule; at least one. */
  tables: readonly Entity[];
  /** Id of the table that is selected first: the table of the rule in the panel. */
  suggested: string | undefined;
  draft: Draft | null;
  onDraft: (draft: Draft) => void;
  field: Ref<HTMLTextAreaElement>;
}) {
  const { mutate, data, error, isPending, reset } = useMutation(tryRule(appRef));
  const why = useId();
  const table = tables.find(({ id }) => id === (draft?.entity ?? suggested)) ?? tables[0];
  const expression = draft?.expression ?? '';
  const kind = draft?.kind ?? 'check';
  const fields = (draft?.fields ?? []).filter((name) => table?.fields.some((one) => one.name === name));
  const off = kind === 'check' ? offExpression(expression) : fields.length === 0 ? 'Choose a field first.' : null;

  const rule: TriedRule = kind === 'check' ? { kind, expression } : { kind, fields };

  const change = (changed: Partial<Draft>) => {
    if (!table) return;
    reset();
    onDraft({ entity: table.id, expression, kind, fields, ...changed });
  };
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (table && off === null && !isPending) mutate({ table: table.id, key: keyFields(table), rule });
  };
  return (
    <Figure
      number="Figure 5.2"
      caption="Test a rule"
      tools={
        <Segmented label="Kind of rule" value={kind} options={kinds} onChange={(chosen) => change({ kind: chosen })} />
      }
    >
      <form className={styles.trial} onSubmit={submit}>
        <NativeSelect
          label="Table"
          value={table?.id ?? ''}
          data={tables.map(({ id }) => ({ value: id, label: shortId(id) }))}
          onChange={(event) => change({ entity: event.currentTarget.value })}
        />
        {kind === 'check' ? (
          <Expression {...{ table, expression, field, why }} onChange={change} onSubmit={submit} />
        ) : (
          <FieldChoice {...{ table, kind, fields }} onChange={change} />
        )}
        <Button type="submit" kind="first" offBecause={off} busy={isPending && 'Counting'}>
          Count
        </Button>
      </form>
      <p className={styles.how} id={why}>
        {kind === 'check' && (
          <>
            An SQL expression over the fields of a row, as in <code>CHECK ( … )</code>.{' '}
          </>
        )}
        The rows are only read, and the transaction is rolled back.
      </p>
      <div role="status">{data && table && <Outcome appRef={appRef} table={table} result={data} />}</div>
      {error && <Refused error={error} />}
    </Figure>
  );
}

/** Field for the condition of a rule. */
function Expression({
  table,
  expression,
  field,
  why,
  onChange,
  onSubmit,
}: {
  table: Entity | undefined;
  expression: string;
  field: Ref<HTMLTextAreaElement>;
  /** Id of the element that describes the field for screen readers. */
  why: string;
  onChange: (changed: Pick<Draft, 'expression'>) => void;
  onSubmit: (event: KeyboardEvent) => void;
}) {
  return (
    <Textarea
      ref={field}
      className={styles.expression ?? ''}
      label="Condition"
      placeholder={placeholder(table)}
      autoComplete="off"
      spellCheck={false}
      autosize
      minRows={1}
      maxRows={8}
      aria-describedby={why}
      value={expression}
      onChange={(event) => onChange({ expression: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (isSubmitKey(event)) onSubmit(event);
      }}
    />
  );
}

/** Chooses the fields of a rule. */
function FieldChoice({
  table,
  kind,
  fields,
  onChange,
}: {
  table: Entity | undefined;
  kind: TriedRule['kind'];
  fields: readonly string[];
  onChange: (changed: Pick<Draft, 'fields'>) => void;
}) {
  return (
    <fieldset className={styles.fields}>
      <legend>{kind === 'required' ? 'Fields that have a value' : 'Fields that no two rows share'}</legend>
      {table?.fields.map(({ name }) => (
        <label key={name} className={styles.field}>
          <input
            type="checkbox"
            checked={fields.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ fields: checked ? [...fields, name] : fields.filter((one) => one !== name) })
            }
          />
          <code>{name}</code>
        </label>
      ))}
    </fieldset>
  );
}

const offExpression = (expression: string): string | null =>
  expression.trim() === '' ? 'Write an expression first.' : isSeveral(expression) ? several : null;

const several = 'One expression, without a semicolon.';

const placeholder = (table: Entity | undefined): string => {
  const field = table?.fields.find(({ type }) => type === 'text')?.name;
  return field === undefined ? `${table?.fields[0]?.name ?? 'id'} is not null` : `length(${field}) <= 80`;
};

function Outcome({
  appRef,
  table,
  result: { rows, broken, examples, trial },
}: {
  appRef: string;
  table: Entity;
  result: TrialResult;
}) {
  const params = { ref: appRef };
  const name = shortId(trial.table);
  return (
    <div className={styles.outcome}>
      <p className={styles.verdict}>
        {broken === 0 ? (
          `All ${counted(rows, 'row')} of ${name} satisfy the rule.`
        ) : (
          <>
            <b>
              {count(broken)} of {counted(rows, 'row')}
            </b>{' '}
            of {name} ({percent(broken, rows)}) would violate it
            {examples.length > 0 && ': '}
            {examples.map((key, place) => (
              <span key={keyText(key)}>
                {place > 0 && ', '}
                {trial.key.length > 0 ? (
                  <Link
                    to="/app/$ref/data"
                    params={params}
                    search={{ table: table.id, row: keyText(key) }}
                    className={liveValueClass}
                  >
                    {key.join(', ')}
                  </Link>
                ) : (
                  key.join(', ')
                )}
              </span>
            ))}
            {broken > examples.length && ` and ${count(broken - examples.length)} more`}.
          </>
        )}
      </p>
      <SqlLink appRef={appRef} sql={keepSql(trial.table, trial.rule, broken)} words="Create the rule in SQL" />
    </div>
  );
}

/** Shows PostgreSQL's message about the expression, or else the failure of the request. */
function Refused({ error }: { error: Error }) {
  const refused = sqlFailureOf(error);
  const facts = failureFacts(error);
  if (!refused) return <FailureNote facts={facts} />;
  return (
    <FailureNote
      facts={{
        ...facts,
        message: `PostgreSQL rejects the rule: ${refused.message}`,
        action: refused.hint ?? refused.detail ?? 'Correct the expression and count again.',
        code: refused.sqlstate,
      }}
    />
  );
}
