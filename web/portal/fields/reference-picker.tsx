import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { PortalEntity, PortalField } from '../../../contract/portal.ts';
import { usePortal } from '../data/client.ts';
import type { Row } from '../data/rest.ts';
import { choices } from '../data/rows.ts';
import { entityIn, useScreens } from '../data/screens.ts';
import editorStyles from './editor.module.css';
import { countWords, textOf } from './format.ts';
import styles from './reference-picker.module.css';
import { rowName } from './value.tsx';

/** Chooses the row that a field references. Typing searches the labels of the rows on the server. */
export function ReferencePicker({
  id,
  label,
  field,
  value,
  chosen,
  describedBy,
  isWrong,
  onChange,
}: {
  id: string;
  /** Accessible name, if the field has no visible label. */
  label?: string;
  field: PortalField;
  value: string;
  /** Label of the chosen row, if it is known. */
  chosen: string | null;
  describedBy: string | undefined;
  isWrong: boolean;
  onChange: (value: string) => void;
}) {
  const portal = usePortal();
  const all = useScreens();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [name, setName] = useState(chosen ?? '');
  const [at, setAt] = useState(0);
  const target = field.reference && entityIn(all, field.reference.entity);
  const isOpen = typed !== null;
  const { data } = useQuery({ ...choices(portal, all, field.reference?.entity ?? '', typed ?? ''), enabled: isOpen });
  if (!target || !field.reference) return null;
  const rows = data?.rows ?? [];
  const none = field.nullable && typed === '' && value !== '' ? 1 : 0;
  const choose = (row: Row | null) => {
    onChange(row === null ? '' : String(row[field.reference?.field ?? '']));
    setName(row === null ? '' : rowName(target, row));
    setTyped(null);
  };
  const chooseAt = (place: number) =>
    place < none ? choose(null) : rows[place - none] && choose(rows[place - none] ?? null);
  const options = rows.length + none;
  return (
    <div className={styles.picker}>
      <input
        ref={input}
        id={id}
        className={editorStyles.control}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options > 0 ? `${id}-${at}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        autoComplete="off"
        placeholder={`Search ${target.label.toLowerCase()}`}
        value={typed ?? (value === '' ? '' : name || rowNumber(target, value))}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setAt(0);
        }}
        onFocus={() => {
          setTyped('');
          setAt(0);
        }}
        onBlur={() => setTyped(null)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            const step = event.key === 'ArrowDown' ? 1 : -1;
            if (isOpen) setAt((at + step + options) % Math.max(options, 1));
            else setTyped('');
          }
          if (event.key === 'Enter' && isOpen && options > 0) {
            event.preventDefault();
            chooseAt(at);
          }
          if (event.key === 'Escape' && isOpen) {
            event.stopPropagation();
            setTyped(null);
          }
        }}
      />
      {isOpen && (
        <div className={styles.menu}>
          <div role="listbox" id={`${id}-list`} aria-label={field.label}>
            {none === 1 && (
              <Option id={`${id}-0`} isAt={at === 0} onChoose={() => choose(null)}>
                <span className="soft">None</span>
              </Option>
            )}
            {rows.map((row, i) => (
              <Option
                key={String(row[field.reference?.field ?? ''])}
                id={`${id}-${i + none}`}
                isAt={at === i + none}
                onChoose={() => choose(row)}
              >
                <span>{rowName(target, row)}</span>
                <small>{secondLine(target, row)}</small>
              </Option>
            ))}
          </div>
          <p className={styles.remark} role="status">
            {data === undefined
              ? 'Searching …'
              : rows.length === 0
                ? `No ${target.one} is called so.`
                : `${rows.length} of ${countWords(Math.max(data.total ?? 0, rows.length))}`}
          </p>
        </div>
      )}
    </div>
  );
}

/** Option of the list. */
function Option({
  id,
  isAt,
  onChoose,
  children,
}: {
  id: string;
  isAt: boolean;
  onChoose: () => void;
  children: React.ReactNode;
}) {
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isAt}
      className={styles.option}
      // Keeps the focus in the field.
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose();
      }}
    >
      {children}
    </div>
  );
}

/** Returns a text for a chosen row without a label. */
const rowNumber = ({ one }: PortalEntity, value: string): string =>
  /^\d+$/.test(value) ? `${one} ${value}` : `A ${one}`;

/** Returns another field, which distinguishes rows with the same label. */
function secondLine(entity: PortalEntity, row: Row): string {
  const field = entity.fields.find(
    ({ name, editor }) => name !== entity.title_field && !entity.key.includes(name) && editor === 'text' && row[name],
  );
  return field ? textOf(field, row[field.name]) : '';
}
