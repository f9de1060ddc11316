import { lazy, Suspense } from 'react';
import type { Field } from '../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../contract/states.ts';
import { classNames } from '../../../ui/class-names.ts';
import { code } from '../../../ui/recovery/code.ts';
import { isState, StateName } from '../../chapters/states/state-name.tsx';
import { isCode, kindOf } from '../../values/field-kind.ts';
import { pathsOfValue } from '../../values/file-paths.ts';
import { cellText } from '../../values/show-value.ts';
import styles from './data.module.css';

const FileSummary = lazy(
  code(() => import('../../../files/file-summary.tsx').then(({ FileSummary: summary }) => ({ default: summary }))),
);

const thisYear = new Date().getFullYear();

/** Shows a value in a cell. `label` is the label of the referenced row; the tooltip then shows the value. */
export function CellValue({
  value,
  field,
  label,
  machine,
  isKey = false,
}: {
  value: string | null;
  field: Field;
  label?: string | undefined;
  /** The state machine of the field. */
  machine?: Machine | undefined;
  isKey?: boolean;
}) {
  if (value === null) return <Null />;
  if (label !== undefined) return <span title={value}>{label}</span>;
  if (value === '') return <span className={styles.null}>empty</span>;
  if (machine && isState(machine, value)) return <StateName machine={machine} name={value} />;
  if (field.files) {
    return (
      <Suspense>
        <FileSummary bucket={field.files.bucket} paths={pathsOfValue(field.files, value)} />
      </Suspense>
    );
  }
  const kind = kindOf(field);
  const text = cellText(value, kind, thisYear);
  const title = kind === 'timestamptz' || kind === 'timestamp' ? value : undefined;
  if (isKey || isCode(kind)) return <code className={styles.mono}>{text}</code>;
  return (
    <span className={classNames(title !== undefined && styles.time)} title={title}>
      {text}
    </span>
  );
}

/** Shows SQL's null, distinguishable from a text. */
export function Null() {
  return <span className={styles.null}>null</span>;
}
