import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { counted } from '../../format/format.ts';
import type { Table } from '../../queries/rows/rest-call.ts';
import { keyFields, keyOf, keyText, type Row } from '../../queries/rows/row.ts';
import { recordChange } from '../../queries/rows/session-changes.ts';
import { keyWords } from '../../queries/rows/undo-change.ts';
import { updateRows } from '../../queries/rows/update-rows.ts';
import { kindOf } from '../../values/field-kind.ts';
import { typeInWords } from '../../values/type-words.ts';
import styles from './data.module.css';
import { ServerError } from './editor/server-error.tsx';
import { readTyped, readValues } from './editor/typed-value.ts';
import { RowField } from './panel/row-field.tsx';
import { fieldReadOnly } from './why-read-only.ts';

interface BulkDialogProps {
  table: Table;
  entities: readonly Entity[];
  /** The selected rows. */
  rows: readonly Row[];
  /** Fields with a state machine, which only a transition changes. */
  stateFields: ReadonlySet<string>;
  onDone: () => void;
  onClose: () => void;
}

/** Sets one field of the selected rows to one value. The value is checked by the same rules as a value typed for a single row. */
export function BulkDialog({ table, entities, rows, stateFields, onDone, onClose }: BulkDialogProps) {
  const { entity } = table;
  const key = keyFields(entity);
  const fields = entity.fields.filter(
    (field) => fieldReadOnly(entity, field) === null && !key.includes(field.name) && !stateFields.has(field.name),
  );
  const [name, setName] = useState(fields[0]?.name ?? '');
  const [value, setValue] = useState<string | null | undefined>(undefined);
  const [now] = useState(() => new Date());
  const { mutate, isPending, error, data, reset } = useMutation(updateRows(table));
  const field = fields.find((one) => one.name === name);
  const wrong = field && typeof value === 'string' ? readTyped(field, value, now).wrong : null;
  const kept = data === undefined ? 0 : rows.length - data.length;
  const offBecause =
    kept > 0 ? 'All rows that you can change are changed.' : value === undefined ? 'Enter a value first.' : wrong;
  const save = () => {
    if (!field || value === undefined || offBecause !== null || isPending) return;
    const keys = rows.map((row) => keyOf(row, key) ?? []);
    mutate(
      { keys, values: readValues([field], { [field.name]: value }, now) },
      {
        onSuccess: (changed) => {
          recordUpdate(table, rows, changed, field.name);
          if (changed.length === rows.length) onDone();
        },
      },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <Dialog title={`Change ${counted(rows.length, 'row')} of ${entity.name}`} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <NativeSelect
          label="Field"
          data-autofocus
          value={name}
          data={fields.map((one) => one.name)}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            setValue(undefined);
            reset();
          }}
        />
        {field && (
          <NewValue
            {...{ table, entities, field, value, wrong }}
            isWrong={wrong !== null || error !== null}
            onChange={(next) => {
              reset();
              setValue(next);
            }}
            onSave={save}
          />
        )}
        {error && <ServerError error={error} />}
        {kept > 0 && (
          <p className={styles.kept} role="alert">
            {counted(kept, 'row was', 'rows were')} not changed: missing, or the policies do not allow this caller to
            change them.
          </p>
        )}
        <div className={styles.deleteDialogButtons}>
          <Button kind="first" type="submit" busy={isPending && 'Changing'} offBecause={offBecause}>
            Change {counted(rows.length, 'row')}
          </Button>
          <Button kind="quiet" onClick={kept > 0 ? onDone : onClose}>
            {kept > 0 ? 'Close' : 'Cancel'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Field for the value that all selected rows get. */
function NewValue({
  table,
  entities,
  field,
  value,
  wrong,
  isWrong,
  onChange,
  onSave,
}: Pick<BulkDialogProps, 'table' | 'entities'> & {
  field: Field;
  /** Undefined until a value is typed. */
  value: string | null | undefined;
  wrong: string | null;
  isWrong: boolean;
  onChange: (value: string | null | undefined) => void;
  onSave: () => void;
}) {
  return (
    <div>
      <span className={styles.label}>New value</span>
      <RowField
        key={field.name}
        {...{ table, entities, field, value, isWrong, onChange, onSave }}
        placeholder={value === null ? 'null' : value === '' ? 'empty text' : ''}
        autoFocus={false}
      />
      <p className="soft">{(kindOf(field) === 'json' ? null : wrong) ?? typeInWords(field)}</p>
      <div className={styles.choices}>
        {kindOf(field) === 'text' && (
          <Button small kind="quiet" onClick={() => onChange('')}>
            empty
          </Button>
        )}
        {field.nullable && (
          <Button small kind="quiet" onClick={() => onChange(null)}>
            <i>null</i>
          </Button>
        )}
      </div>
    </div>
  );
}

/** Records the change of all rows as one change, so that one undo restores them. */
function recordUpdate(table: Table, before: readonly Row[], changed: readonly Row[], name: string): void {
  const fields = keyFields(table.entity);
  const textOf = (row: Row) => keyText(keyOf(row, fields) ?? []);
  const old = new Map(before.map((row) => [textOf(row), row]));
  const rows = changed.map((row) => {
    const known = old.get(textOf(row));
    return {
      key: keyOf(row, fields) ?? [],
      before: known ? { [name]: known[name] ?? null } : null,
      after: { [name]: row[name] ?? null },
    };
  });
  const [only] = rows;
  if (!only) return;
  const what = rows.length === 1 ? keyWords(only.key) : counted(rows.length, 'row');
  recordChange({ table, kind: 'update', rows, what: `${name} of ${what}`, how: '' });
}
