import type { Field } from '../../../../contract/specification-entities.ts';
import { classNames } from '../../../ui/class-names.ts';
import { isCode, kindOf } from '../../values/field-kind.ts';
import { cellText } from '../../values/show-value.ts';
import styles from './value.module.css';

const thisYear = new Date().getFullYear();
const dots = 6;

/** A value in a cell. `label` is what the row that it points to is called; the value itself is then its title. */
export function CellValue({
  value,
  field,
  label,
  isKey = false,
}: {
  value: string | null;
  field: Field;
  label?: string | undefined;
  isKey?: boolean;
}) {
  if (value === null) return <Null />;
  if (label !== undefined) return <span title={value}>{label}</span>;
  if (value === '') return <span className={styles.null}>empty</span>;
  const kind = kindOf(field);
  const text = cellText(value, kind, thisYear);
  const title = kind === 'timestamptz' || kind === 'timestamp' ? value : undefined;
  if (kind === 'enum') return <EnumValue value={value} values={field.enum_values ?? []} />;
  if (isKey || isCode(kind)) return <code className={styles.mono}>{text}</code>;
  return (
    <span className={classNames(title !== undefined && styles.time)} title={title}>
      {text}
    </span>
  );
}

export function Null() {
  return <span className={styles.null}>null</span>;
}

/** A value of an enumeration: its colour, in the order of the values, beside its word. */
export function EnumValue({ value, values }: { value: string; values: readonly string[] }) {
  const at = values.indexOf(value);
  return (
    <span className={classNames(styles.choice, at >= 0 && values.length <= dots && styles[`colour${at + 1}`])}>
      {value}
    </span>
  );
}
