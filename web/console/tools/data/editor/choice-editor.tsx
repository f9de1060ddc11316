import { type ReactNode, useId, useState } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Combo } from '../../../../fields/combo.tsx';
import { kindOf } from '../../../values/field-kind.ts';
import { Null } from '../value.tsx';
import styles from './editor.module.css';
import { meaningsOf } from './editor-kind.ts';

const NULL = ' null';

/** Chooses a value of an enum (shown with its meaning), true or false, or null. */
export function ChoiceEditor({
  field,
  value,
  typed,
  isWrong,
  children,
  onSave,
}: {
  field: Field;
  value: string | null;
  /** The characters that the builder typed in the cell, which opened the editor. */
  typed: string;
  isWrong: boolean;
  children: ReactNode;
  onSave: (value: string | null) => void;
}) {
  const id = useId();
  const [search, setSearch] = useState(typed);
  const isBoolean = kindOf(field) === 'boolean';
  const values = isBoolean ? ['true', 'false'] : (field.enum_values ?? []);
  const meanings = meaningsOf(field);
  const current = isBoolean && value !== null ? (value.startsWith('t') ? 'true' : 'false') : value;
  const found = values.filter((one) => one.toLowerCase().includes(search.trim().toLowerCase()));
  const offersNull = field.nullable && 'null'.includes(search.trim().toLowerCase());
  return (
    <Combo
      id={id}
      isInCell
      className={styles.input}
      label={field.name}
      listLabel={`Values of ${field.name}`}
      placeholder={current ?? 'null'}
      text=""
      search={search}
      isWrong={isWrong}
      options={[
        ...found.map((one) => ({ key: one, name: one, note: meanings.get(one), isCurrent: one === current })),
        ...(offersNull ? [{ key: NULL, name: <Null />, isCurrent: value === null }] : []),
      ]}
      remark={found.length === 0 ? 'No value contains this text.' : undefined}
      onSearch={(text) => setSearch(text ?? '')}
      onChoose={(key) => onSave(key === NULL ? null : key)}
    >
      {children}
    </Combo>
  );
}
