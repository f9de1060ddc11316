import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import type { Row } from '../../../queries/rows/row.ts';
import type { Refusal } from './fixes.ts';
import styles from './import-page.module.css';

type Texts = readonly (readonly [name: string, text: string | null])[];

interface LineProps {
  appRef: string;
  line: number;
  refusal: Refusal;
  /** The values in the order of the columns, as a person writes them. */
  texts: Texts;
  busy: boolean;
  isEdited: boolean;
  onOpen: () => void;
  onClose: () => void;
  onSave: (texts: Row) => void;
}

/** A refused row of a file, which can be edited in place. */
export function RefusedLine(props: LineProps) {
  const { appRef, line, refusal, texts, busy, isEdited, onOpen } = props;
  const { rule, field, words } = refusal;
  if (isEdited) return <EditedLine {...props} />;
  return (
    <tr>
      <td className="num">{line}</td>
      {texts.map(([name, text]) => (
        <td key={name} className={(rule?.fields.includes(name) ?? field?.name === name) ? styles.wrong : undefined}>
          {text ?? <i className="soft">empty</i>}
        </td>
      ))}
      <td>
        {words}{' '}
        {rule && (
          <Link to="/app/$ref/rules" params={{ ref: appRef }} search={{ rule: rule.id }}>
            Chapter 5
          </Link>
        )}
      </td>
      <td className="num">
        <Button
          small
          aria-label={`Edit line ${line}`}
          offBecause={busy ? 'The rows are being checked.' : null}
          onClick={onOpen}
        >
          Edit
        </Button>
      </td>
    </tr>
  );
}

/** The row with a field for each value. Enter checks the row, Esc closes the fields. */
function EditedLine({ line, refusal: { rule, field, words }, texts, onClose, onSave }: LineProps) {
  const [values, setValues] = useState<Row>(() => Object.fromEntries(texts));
  const isWrong = (name: string) => rule?.fields.includes(name) ?? field?.name === name;
  const first = texts.find(([name]) => isWrong(name))?.[0] ?? texts[0]?.[0];
  const save = () => onSave(values);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') save();
    if (event.key === 'Escape') onClose();
  };
  return (
    <tr>
      <td className="num">{line}</td>
      {texts.map(([name]) => (
        <td key={name}>
          <input
            className={styles.select}
            aria-label={`${name} of line ${line}`}
            aria-invalid={isWrong(name) || undefined}
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: The reader opened this row to change this value.
            autoFocus={name === first}
            value={values[name] ?? ''}
            placeholder="empty"
            onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value === '' ? null : value })}
            onKeyDown={onKeyDown}
          />
        </td>
      ))}
      <td>{words}</td>
      <td className={`num ${styles.buttons}`}>
        <Button small kind="first" onClick={save}>
          Check
        </Button>
        <Button small kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </td>
    </tr>
  );
}
