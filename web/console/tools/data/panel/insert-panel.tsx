import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { FormFilesContext, useNewFormFiles, usePendingFiles } from '../../../../fields/form-files-context.ts';
import { Button } from '../../../../ui/button.tsx';
import { Panel } from '../../../../ui/panel.tsx';
import { insertRow } from '../../../queries/rows/insert-row.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { keyFields, keyOf, type Row } from '../../../queries/rows/row.ts';
import { recordChange } from '../../../queries/rows/session-changes.ts';
import { keyWords } from '../../../queries/rows/undo-change.ts';
import { kindOf, shortType } from '../../../values/field-kind.ts';
import { pathsOfValue } from '../../../values/file-paths.ts';
import { violatedRule } from '../editor/field-rule.tsx';
import { ServerError } from '../editor/server-error.tsx';
import { readTyped, readValues } from '../editor/typed-value.ts';
import { useValueRules } from '../editor/use-value-rules.ts';
import { brokenBy, sentence, validWords } from '../editor/value-rules.ts';
import styles from './insert-panel.module.css';
import { RowField } from './row-field.tsx';

/** Returns the reason why only the database can set a field; null if the caller can set it. */
const madeBecause = (field: Field): string | null =>
  field.generated !== null
    ? `generated from ${field.default ?? 'other fields'}`
    : field.computed
      ? 'computed by the view'
      : field.identity === 'always'
        ? 'the next number'
        : null;

/** Describes the default of a field. */
const defaultWords = (field: Field): string =>
  field.identity !== null ? 'the next number' : (field.default ?? (field.nullable ? 'null' : 'required'));

/** Returns the values of a row that its copy can have: all but the key and what the database makes. */
function copyOf(row: Row | null, entity: Entity): Row {
  const kept = entity.fields.filter(
    (field) => madeBecause(field) === null && field.files === undefined && !entity.primary_key.includes(field.name),
  );
  return row === null ? {} : Object.fromEntries(kept.map(({ name }) => [name, row[name] ?? null]));
}

/** Panel of a new row. Sends only the fields that have a value, so PostgreSQL sets the defaults of the other fields. */
export function InsertPanel({
  table,
  entities,
  start,
  onInserted,
  onClose,
}: {
  table: Table;
  entities: readonly Entity[];
  /** The row whose values the new row starts with; null for an empty one. */
  start: Row | null;
  /** `isLast` is false if another row follows. */
  onInserted: (row: Row | null, isLast: boolean) => void;
  onClose: () => void;
}) {
  const [values, setValues] = useState<Row>(() => copyOf(start, table.entity));
  const [now] = useState(() => new Date());
  const { files, pending, settle } = useInsertedFiles(table);
  const { mutate, isPending, error, reset } = useMutation(insertRow(table));
  const set = (name: string, value: string | null | undefined) => {
    if (error) reset();
    setValues(({ [name]: _, ...others }) => (value === undefined ? others : { ...others, [name]: value }));
  };
  const { rules, checked } = useValueRules(table);
  const wrong = (field: Field): string | null => {
    const typed = values[field.name];
    if (typeof typed !== 'string') return null;
    const { value, wrong: unread } = readTyped(field, typed, now);
    return unread ?? brokenBy(field, checked.get(field.name), value);
  };
  const save = (isLast: boolean) => {
    if (isPending || pending !== null || table.entity.fields.some((field) => wrong(field) !== null)) return;
    mutate(readValues(table.entity.fields, values, now), {
      onSuccess: (row) => {
        settle(values);
        if (row) recordInsertion(table, row);
        onInserted(row, isLast);
      },
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(true);
  };
  const broken = violatedRule(error, rules);
  const blamed = broken?.fields[0] ?? (error === null ? undefined : /column "([^"]+)"/.exec(error.message)?.[1]);

  return (
    <Panel
      label={`Insert a row into ${table.entity.name}`}
      title={<b>New row of {table.entity.name}</b>}
      onClose={onClose}
    >
      <form className={styles.form} onSubmit={submit}>
        <FormFilesContext value={files}>
          {table.entity.fields.map((field, index) => (
            <InsertField
              key={field.name}
              {...{ table, entities, field }}
              value={values[field.name]}
              wrong={wrong(field)}
              blamed={blamed === field.name}
              rule={validWords(field, rules)}
              refused={broken?.fields[0] === field.name ? sentence(broken.comment ?? broken.words) : null}
              autoFocus={index === table.entity.fields.findIndex((each) => madeBecause(each) === null)}
              onChange={(value) => set(field.name, value)}
              onSave={() => save(true)}
            />
          ))}
        </FormFilesContext>
        <Foot
          {...{ error, isPending, pending, onClose }}
          words={broken && sentence(broken.comment ?? broken.words)}
          onNext={() => save(false)}
        />
      </form>
    </Panel>
  );
}

/** The buttons of the panel, and the error of the last attempt. */
function Foot({
  error,
  words,
  isPending,
  pending,
  onNext,
  onClose,
}: {
  error: Error | null;
  /** The broken rule in the words of the app; null if PostgreSQL reports another error. */
  words: string | null;
  isPending: boolean;
  /** Why the row cannot be inserted yet; null if it can. */
  pending: string | null;
  onNext: () => void;
  onClose: () => void;
}) {
  return (
    <div className={styles.foot}>
      {error && <Refused error={error} words={words} />}
      <span className={styles.buttons}>
        <Button kind="first" type="submit" busy={isPending && 'Inserting'} offBecause={pending}>
          Insert
        </Button>
        <Button busy={isPending && 'Inserting'} offBecause={pending} onClick={onNext}>
          Insert and next
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </span>
    </div>
  );
}

/** Shows why a row was refused: the words of the app first, then those of PostgreSQL as details. */
function Refused({ error, words }: { error: Error; words: string | null }) {
  if (words === null) return <ServerError error={error} />;
  return (
    <div className={styles.refused} role="alert">
      <p>{words}</p>
      <details>
        <summary>Details</summary>
        <ServerError error={error} />
      </details>
    </div>
  );
}

/** Returns the files that the panel uploads. Those that the inserted row does not name are deleted. */
function useInsertedFiles({ entity }: Table) {
  const files = useNewFormFiles({ table: entity.name, id: null });
  const { names } = usePendingFiles(files);
  const isSaved = useRef(false);
  useEffect(() => {
    return () => {
      if (!isSaved.current) void files.discard();
    };
  }, [files]);
  return {
    files,
    pending: names.length === 0 ? null : `${names.length === 1 ? names[0] : `${names.length} files`} still uploading.`,
    settle: (values: Row) => {
      isSaved.current = true;
      const kept = entity.fields.flatMap((field) =>
        field.files ? pathsOfValue(field.files, values[field.name] ?? null) : [],
      );
      void files.settle([], kept);
    },
  };
}

function InsertField({
  table,
  entities,
  field,
  value,
  wrong,
  rule,
  refused,
  blamed,
  autoFocus,
  onChange,
  onSave,
}: {
  table: Table;
  entities: readonly Entity[];
  field: Field;
  value: string | null | undefined;
  wrong: string | null;
  /** The valid values in words. */
  rule: string;
  /** The rule that the last attempt broke in this field; null if it broke none. */
  refused: string | null;
  blamed: boolean;
  autoFocus: boolean;
  onChange: (value: string | null | undefined) => void;
  onSave: () => void;
}) {
  const made = madeBecause(field);
  const kind = kindOf(field);
  const isText = kind === 'text';
  const isChoice = kind === 'enum' || kind === 'boolean';
  return (
    <div className={styles.field}>
      <div className={styles.head}>
        <span className="cut">{field.name}</span>
        <code>{shortType(field.type)}</code>
        <span className={styles.choices}>
          {made === null && value !== undefined && (
            <Button small kind="quiet" onClick={() => onChange(undefined)}>
              default
            </Button>
          )}
          {made === null && isText && value !== '' && (
            <Button small kind="quiet" onClick={() => onChange('')}>
              empty
            </Button>
          )}
          {made === null && field.nullable && value !== null && (
            <Button small kind="quiet" onClick={() => onChange(null)}>
              <i>null</i>
            </Button>
          )}
        </span>
      </div>
      {made === null ? (
        <RowField
          {...{ table, entities, field, value, autoFocus, onChange, onSave }}
          placeholder={value === null ? 'null' : value === '' ? 'empty text' : defaultWords(field)}
          isWrong={wrong !== null || blamed}
        />
      ) : (
        <p className={styles.made}>{made}</p>
      )}
      <p className={styles.rule} data-wrong={(kind !== 'json' && wrong !== null) || refused !== null || undefined}>
        {(kind === 'json' ? null : wrong) ?? refused ?? (made === null ? rule : 'The database writes it.')}
        {isChoice && value === undefined && <> Default {defaultWords(field).replace(/::[^']*$/, '')}.</>}
      </p>
    </div>
  );
}

function recordInsertion(table: Table, row: Row): void {
  const key = keyOf(row, keyFields(table.entity));
  if (key)
    recordChange({
      table,
      kind: 'insert',
      rows: [{ key, before: null, after: row }],
      what: `Inserted row ${keyWords(key)}`,
      how: '',
    });
}
