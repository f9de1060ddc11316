import { useState } from 'react';
import { entityId } from '../../../../../contract/entity-names.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Table } from '../../../data/rows/rest-call.ts';
import { shortId } from '../../../format/format.ts';
import { typeInWords } from '../../../values/type-words.ts';
import { editorKind, targetOf } from '../editor/editor-kind.ts';
import { ReferenceEditor } from '../editor/reference-editor.tsx';
import { ValueInput } from '../editor/value-input.tsx';
import styles from './insert-panel.module.css';

/** Describes the valid values of a field of a form. A reference is chosen, so its type does not matter. */
export const rowFieldWords = (field: Field, entities: readonly Entity[]): string =>
  editorKind(field, undefined, entities) === 'reference'
    ? `A row of ${shortId(entityId(field.references?.schema ?? '', field.references?.entity ?? ''))}.${field.nullable ? '' : ' Never null.'}`
    : typeInWords(field);

/** Control of a field in a form: a reference is chosen by the label of its row, any other value is typed. */
export function RowField({
  table,
  entities,
  field,
  value,
  placeholder,
  isWrong,
  autoFocus,
  onChange,
  onSave,
}: {
  table: Table;
  entities: readonly Entity[];
  field: Field;
  value: string | null | undefined;
  placeholder: string;
  isWrong: boolean;
  autoFocus: boolean;
  onChange: (value: string | null | undefined) => void;
  onSave: () => void;
}) {
  const [chosen, setChosen] = useState<{ value: string; name: string } | null>(null);
  if (editorKind(field, undefined, entities) === 'reference') {
    return (
      <ReferenceEditor
        {...{ table, field, isWrong }}
        target={targetOf(field, entities)}
        value={value ?? null}
        label={chosen !== null && chosen.value === value ? chosen.name : undefined}
        typed={null}
        className={styles.reference}
        onChoose={(choice) => {
          setChosen(choice);
          onChange(choice?.value ?? null);
        }}
      />
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
