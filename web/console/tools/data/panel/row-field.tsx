import { type KeyboardEvent, useId, useState } from 'react';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { pathsIn, pathsText } from '../../../../fields/draft.ts';
import { FilesField } from '../../../../fields/files-field.tsx';
import { JsonField } from '../../../../fields/json-field.tsx';
import { TimeField } from '../../../../fields/time-field.tsx';
import type { TimeKind } from '../../../../fields/time-notation.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { pathsOfValue, valueOfPaths } from '../../../values/file-paths.ts';
import { editorKind, targetOf, timeKind } from '../editor/editor-kind.ts';
import { ReferenceEditor } from '../editor/reference-editor.tsx';
import { readTyped, shownText } from '../editor/typed-value.ts';
import { focusAtEnd, isSaveKey, ValueInput } from '../editor/value-input.tsx';
import styles from './insert-panel.module.css';

export interface RowFieldProps {
  table: Table;
  entities: readonly Entity[];
  field: Field;
  value: string | null | undefined;
  placeholder: string;
  isWrong: boolean;
  autoFocus: boolean;
  onChange: (value: string | null | undefined) => void;
  onSave: () => void;
}

/**
 * Control of a field in a form. As in a cell, a reference is chosen by the label of its row, a time is typed or chosen
 * in the calendar, JSON has its own editor, and any other value is typed.
 */
export function RowField(props: RowFieldProps) {
  const { table, entities, field, value, placeholder, isWrong, autoFocus, onChange, onSave } = props;
  const [chosen, setChosen] = useState<{ value: string; name: string } | null>(null);
  const time = timeKind(field);
  const kind = editorKind(field, undefined, entities);
  if (field.files) {
    const { files } = field;
    return (
      <FilesField
        id={`insert-${field.name}`}
        field={{ name: field.name, label: field.name, files }}
        value={pathsText(pathsOfValue(files, value ?? null))}
        describedBy={undefined}
        isWrong={isWrong}
        onChange={(text) => onChange(text === '' ? undefined : valueOfPaths(files, pathsIn(text), false))}
      />
    );
  }
  if (kind === 'reference') {
    return (
      <ReferenceEditor
        {...{ table, field, isWrong }}
        target={targetOf(field, entities)}
        value={value ?? null}
        label={chosen !== null && chosen.value === value ? chosen.name : undefined}
        typed={null}
        className={styles.input}
        onChoose={(choice) => {
          setChosen(choice);
          onChange(choice?.value ?? null);
        }}
      />
    );
  }
  if (kind === 'time' || kind === 'json') {
    const onKeyDown = (event: KeyboardEvent) => {
      const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (!isField || !isSaveKey(event, kindOf(field))) return;
      event.preventDefault();
      onSave();
    };
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: The element handles the keys of the field in it.
      <div className={kind === 'json' ? styles.json : undefined} onKeyDown={onKeyDown}>
        {time !== null ? (
          <RowTime {...props} kind={time} />
        ) : (
          <JsonField
            label={field.name}
            text={value ?? ''}
            placeholder={placeholder}
            inputRef={autoFocus ? focusAtEnd : null}
            onText={(text) => onChange(text === '' ? undefined : text)}
          />
        )}
      </div>
    );
  }
  return (
    <ValueInput
      field={field}
      value={value ?? null}
      label={field.name}
      placeholder={placeholder}
      failed={isWrong}
      autoFocus={autoFocus}
      lines={1}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      onSave={onSave}
    />
  );
}

/** Field of a form for a date or a time. Keeps the typed text in addition to the value that PostgreSQL reads. */
function RowTime({
  field,
  kind,
  value,
  placeholder,
  isWrong,
  autoFocus,
  onChange,
}: RowFieldProps & { kind: TimeKind }) {
  const id = useId();
  const [now] = useState(() => new Date());
  const [draft, setDraft] = useState<{ text: string; value: string | undefined } | null>(null);
  // The form can replace the value, for example by the default. The typed text is then no longer shown.
  const text = draft !== null && draft.value === value ? draft.text : (shownText(field, value ?? null, now) ?? '');
  return (
    <TimeField
      isPopup
      id={id}
      label={field.name}
      text={text}
      kind={kind}
      placeholder={placeholder}
      className={styles.input}
      isWrong={isWrong}
      inputRef={autoFocus ? focusAtEnd : null}
      onText={(next) => {
        const read = next === '' ? undefined : readTyped(field, next, now).value;
        setDraft({ text: next, value: read });
        onChange(read);
      }}
    />
  );
}
