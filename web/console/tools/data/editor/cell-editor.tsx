import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Kbd } from '../../../../ui/kbd.tsx';
import type { Table } from '../../../data/rows/rest-call.ts';
import { updateRow } from '../../../data/rows/update-row.ts';
import { caps } from '../../../keys/bindings.ts';
import { isMac } from '../../../keys/keyboard.tsx';
import { checkValue } from '../../../values/check-value.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { maxCharacters, typeInWords } from '../../../values/type-words.ts';
import styles from './cell-editor.module.css';
import { ServerError } from './server-error.tsx';
import { ValueInput } from './value-input.tsx';

/**
 * Editor of one value of a row, under its cell or in the panel, with a description of the type. An error of the server
 * is shown in place. Closes after the value is saved or was not changed.
 */
export function CellEditor({
  table,
  field,
  rowKey,
  value,
  floating = false,
  onFailed,
  onClose,
}: {
  table: Table;
  field: Field;
  rowKey: readonly string[];
  value: string | null;
  floating?: boolean;
  onFailed?: (failed: boolean) => void;
  onClose: (saved: boolean) => void;
}) {
  const [draft, setDraft] = useState(value);
  const { mutate, isPending, error, reset } = useMutation(updateRow(table));
  const kind = kindOf(field);
  const wrong = draft === null ? null : checkValue(draft, kind);
  const max = maxCharacters(field.base_type ?? field.type);

  const change = (next: string | null) => {
    setDraft(next);
    if (error) {
      reset();
      onFailed?.(false);
    }
  };
  const save = (next: string | null) => {
    if (isPending) return;
    if (next === value) return onClose(false);
    if (next !== null && checkValue(next, kind) !== null) return;
    mutate(
      { key: rowKey, values: { [field.name]: next } },
      { onSuccess: () => onClose(true), onError: () => onFailed?.(true) },
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save(draft);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    onClose(false);
  };

  return (
    <form
      className={classNames(styles.editor, floating && styles.floating)}
      aria-label={`Edit ${field.name}`}
      onKeyDown={onKeyDown}
      onSubmit={submit}
    >
      <ValueInput
        field={field}
        value={draft}
        label={field.name}
        failed={error !== null || (wrong !== null && draft !== value)}
        autoFocus
        onChange={change}
        onSave={() => save(draft)}
      />
      <div className={styles.rule}>
        <span>
          {typeInWords(field)}
          {field.comment && ` ${field.comment}`}
        </span>
        {kind === 'text' && draft !== null && (
          <span className={classNames('num', max !== null && [...draft].length > max && styles.over)}>
            {[...draft].length}
          </span>
        )}
      </div>
      {wrong !== null && draft !== value && (
        <p className={styles.wrong} role="alert">
          {wrong}
        </p>
      )}
      {error && <ServerError error={error} />}
      <div className={styles.buttons}>
        <Button kind="first" small type="submit" busy={isPending && 'Saving'}>
          Save
        </Button>
        <Button kind="quiet" small onClick={() => onClose(false)}>
          Cancel
        </Button>
        {field.nullable && (
          <Button
            kind="quiet"
            small
            offBecause={value === null ? 'It is null already.' : null}
            onClick={() => save(null)}
          >
            <i>null</i>
          </Button>
        )}
        <span className={styles.keys}>
          <Kbd keys={[kind === 'json' ? (caps('mod+enter', isMac)[0] ?? '') : 'Enter', 'Esc']} />
        </span>
      </div>
    </form>
  );
}
