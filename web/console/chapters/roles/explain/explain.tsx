import { Select, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type Ref, useId, useMemo, useRef, useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { RoleCell, RoleEntry } from '../../../../../contract/specification-roles.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Kbd } from '../../../../ui/kbd.tsx';
import { isSubmitKey } from '../../../../ui/key-name.ts';
import { PanelSection } from '../../../../ui/panel.tsx';
import { useKeys } from '../../../../ui/shortcuts/keyboard.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import {
  explanation,
  functionQuestion,
  newRow,
  type Question,
  questionOf,
  sameRow,
  someRows,
} from '../../../queries/explain.ts';
import { labelField } from '../../../queries/rows/labels.ts';
import { keyFields, keyFromText, keyOf, keyText, type RequestRole, type Row } from '../../../queries/rows/row.ts';
import { MemberField } from '../../member-field.tsx';
import styles from './explain.module.css';
import { Explained } from './explained.tsx';

/**
 * Explains the result of a call: the reader picks a member and a row, and sees every evaluated policy with its values.
 */
export function Explain({
  appRef,
  cell,
  role,
  entity,
}: {
  appRef: string;
  cell: RoleCell;
  role: RoleEntry;
  /** Undefined for a function. */
  entity: Entity | undefined;
}) {
  const first = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useKeys(
    useMemo(
      () => [{ keys: 'e', group: 'This page', does: 'Explain the selection', run: () => first.current?.focus() }],
      [],
    ),
  );
  const fixed = fixedSeat(role);
  const [member, setMember] = useState<string | null>(null);
  const requestRole = fixed ?? member;
  const { operation } = cell;
  const isNew = operation === 'insert' || operation === 'execute';
  return (
    <PanelSection title="Explain" aside={<Kbd keys={['E']} />}>
      <div className={styles.choices}>
        {fixed === null ? (
          <MemberField appRef={appRef} member={member} onMember={setMember} field={first} />
        ) : (
          <p className={styles.fixed}>{fixed === 'anon' ? 'Without a session' : 'With the secret key'}</p>
        )}
        {isNew ? (
          <NewCall
            key={operation}
            appRef={appRef}
            cell={cell}
            entity={entity}
            requestRole={requestRole}
            field={fixed === null ? undefined : first}
          />
        ) : (
          entity && (
            <RowCall
              appRef={appRef}
              operation={operation}
              entity={entity}
              requestRole={requestRole}
              field={fixed === null ? undefined : first}
            />
          )
        )}
      </div>
    </PanelSection>
  );
}

/** Returns the caller of a role that needs no member; null for roles whose calls members make. */
const fixedSeat = ({ name, bypasses_row_level_security }: RoleEntry): RequestRole | null =>
  name === 'anon' ? 'anon' : bypasses_row_level_security ? 'service' : null;

/** Form for a call on an existing row. The explanation starts when the reader chooses the row. */
function RowCall({
  appRef,
  operation,
  entity,
  requestRole,
  field,
}: {
  appRef: string;
  operation: 'select' | 'update' | 'delete';
  entity: Entity;
  requestRole: RequestRole | null;
  field: Ref<HTMLInputElement> | undefined;
}) {
  const key = keyFields(entity);
  const { data: rows, error } = useQuery({ ...someRows(appRef, entity), enabled: key.length > 0 });
  const [chosen, setChosen] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  const [change, setChange] = useState<string | null>(null);
  const options = useMemo(() => rowOptions(entity, rows ?? [], search), [entity, rows, search]);
  const at = chosen === null ? null : keyFromText(chosen, key);
  const row = rows?.find((one) => chosen !== null && keyText(keyOf(one, key) ?? []) === chosen);
  const body = change ?? (row ? sameRow(entity, row) : '{}');
  const [settled] = useDebouncedValue(body, 400);
  const question =
    requestRole !== null && at !== null && (operation !== 'update' || isJson(settled))
      ? questionOf(operation, entity, requestRole, at, settled)
      : null;
  if (key.length === 0) {
    return <p className="soft">The entity has no key, so you cannot choose a row.</p>;
  }
  return (
    <>
      <Select
        ref={field}
        label="Row"
        placeholder={key.join(', ')}
        searchable
        data={options}
        filter={({ options: found }) => found}
        nothingFoundMessage="No row found: enter its key"
        error={error && failureFacts(error).message}
        value={chosen}
        searchValue={search}
        onSearchChange={setSearch}
        onChange={(value) => {
          setChosen(value);
          setChange(null);
        }}
      />
      {operation === 'update' && at !== null && (
        <JsonField label="Change" value={body} onChange={setChange} field={undefined} />
      )}
      <Asked appRef={appRef} question={question} />
    </>
  );
}

/** Returns the rows that match the typed text. The text may also be the key of a row that is not listed. */
function rowOptions(entity: Entity, rows: readonly Row[], search: string): { value: string; label: string }[] {
  const key = keyFields(entity);
  const label = labelField(entity);
  const all = rows.flatMap((row) => {
    const values = keyOf(row, key);
    if (!values) return [];
    const called = label === null ? null : row[label];
    return [{ value: keyText(values), label: [values.join(', '), called].filter(Boolean).join('  ') }];
  });
  const text = search.trim();
  const found = all.filter((option) => option.label.toLowerCase().includes(text.toLowerCase()));
  const typed = keyText([text]);
  if (text === '' || key.length !== 1 || all.some(({ value, label: shown }) => value === typed || shown === text)) {
    return found;
  }
  return [...found, { value: typed, label: text }];
}

/** Form for a call that inserts a row or calls a function. The server runs it on request and rolls it back. */
function NewCall({
  appRef,
  cell,
  entity,
  requestRole,
  field,
}: {
  appRef: string;
  cell: RoleCell;
  entity: Entity | undefined;
  requestRole: RequestRole | null;
  field: Ref<HTMLTextAreaElement> | undefined;
}) {
  const [body, setBody] = useState(() => (entity && cell.operation === 'insert' ? newRow(entity) : '{}'));
  const [question, ask] = useState<Question | null>(null);
  const why = requestRole === null ? 'Choose a member first.' : isJson(body) ? null : 'This is not valid JSON.';
  const run = () => {
    if (requestRole === null || why !== null) return;
    ask(
      cell.operation === 'insert' && entity
        ? questionOf('insert', entity, requestRole, null, body)
        : functionQuestion(cell.entity, requestRole, body),
    );
  };
  return (
    <>
      <JsonField
        label={cell.operation === 'insert' ? 'New row' : 'Arguments'}
        value={body}
        onChange={setBody}
        onEnter={run}
        field={field}
      />
      <Button small onClick={run} offBecause={why}>
        Explain
      </Button>
      <Asked appRef={appRef} question={question} />
    </>
  );
}

/** Field for a JSON body. */
function JsonField({
  label,
  value,
  onChange,
  onEnter,
  field,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
  field: Ref<HTMLTextAreaElement> | undefined;
}) {
  const id = useId();
  return (
    <Textarea
      id={id}
      ref={field ?? null}
      className={styles.json ?? ''}
      label={label}
      autosize
      minRows={1}
      maxRows={10}
      autoComplete="off"
      spellCheck={false}
      error={isJson(value) ? null : 'This is not valid JSON.'}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (isSubmitKey(event)) onEnter?.();
      }}
    />
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Shows the explanation of a question; nothing without a question. */
function Asked({ appRef, question }: { appRef: string; question: Question | null }) {
  if (question === null) return null;
  return <Answered appRef={appRef} question={question} />;
}

/** Loads and shows the explanation of a question. */
function Answered({ appRef, question }: { appRef: string; question: Question }) {
  const { data, error, isFetching } = useQuery(explanation(appRef, question));
  if (error) return <FailureNote facts={failureFacts(error)} />;
  if (!data) {
    return (
      <p className="soft" role="status">
        {isFetching ? 'Loading …' : ''}
      </p>
    );
  }
  return <Explained appRef={appRef} explanation={data} />;
}
