import { useState } from 'react';
import editorStyles from './editor.module.css';
import { countWords } from './format.ts';
import styles from './reference-picker.module.css';

/** A row that a field can reference. */
export interface Choice {
  /** The value that the field gets. */
  readonly value: string;
  /** The label of the row. */
  readonly name: string;
  /** Another text, which distinguishes rows with the same label. */
  readonly note: string;
}

/** The first rows whose labels contain the searched text, and the number of all such rows. */
export interface Choices {
  readonly choices: readonly Choice[];
  readonly total: number;
}

export interface ReferencePickerProps {
  id: string;
  /** Accessible name, if the field has no visible label. */
  label?: string | undefined;
  /** Name of the list. */
  listLabel: string;
  placeholder: string;
  /** Label of the chosen row; empty without one. */
  chosen: string;
  /** True if the list offers to choose no row. */
  canClear: boolean;
  /** The typed text; null while the list is closed. */
  search: string | null;
  onSearch: (search: string | null) => void;
  /** The rows for the typed text; undefined while the server searches. */
  found: Choices | undefined;
  /** Text if no row is found. */
  nothingFound: string;
  describedBy?: string | undefined;
  isWrong?: boolean;
  onChoose: (choice: Choice | null) => void;
}

/** Chooses a row by its label. Typing searches the labels on the server; the picker never shows a key. */
export function ReferencePicker({
  id,
  label,
  listLabel,
  placeholder,
  chosen,
  canClear,
  search,
  onSearch,
  found,
  nothingFound,
  describedBy,
  isWrong = false,
  onChoose,
}: ReferencePickerProps) {
  const [at, setAt] = useState(0);
  const isOpen = search !== null;
  const choices = found?.choices ?? [];
  const none = canClear && search === '' ? 1 : 0;
  const options = choices.length + none;
  const choose = (choice: Choice | null) => {
    onChoose(choice);
    onSearch(null);
  };
  const chooseAt = (place: number) => {
    const choice = choices[place - none];
    if (place < none) choose(null);
    else if (choice) choose(choice);
  };
  const searchFor = (text: string | null) => {
    onSearch(text);
    setAt(0);
  };
  return (
    <div className={styles.picker}>
      <input
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
        placeholder={placeholder}
        value={search ?? chosen}
        onChange={({ currentTarget }) => searchFor(currentTarget.value)}
        onFocus={() => searchFor('')}
        onBlur={() => onSearch(null)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            const step = event.key === 'ArrowDown' ? 1 : -1;
            if (isOpen) setAt((at + step + options) % Math.max(options, 1));
            else searchFor('');
          }
          if (event.key === 'Enter' && isOpen && options > 0) {
            event.preventDefault();
            chooseAt(at);
          }
          if (event.key === 'Escape' && isOpen) {
            event.stopPropagation();
            onSearch(null);
          }
        }}
      />
      {isOpen && (
        <div className={styles.menu}>
          <div role="listbox" id={`${id}-list`} aria-label={listLabel}>
            {none === 1 && (
              <Option id={`${id}-0`} isAt={at === 0} onChoose={() => choose(null)}>
                <span className="soft">None</span>
              </Option>
            )}
            {choices.map((choice, i) => (
              <Option
                key={choice.value}
                id={`${id}-${i + none}`}
                isAt={at === i + none}
                onChoose={() => choose(choice)}
              >
                <span>{choice.name}</span>
                <small>{choice.note}</small>
              </Option>
            ))}
          </div>
          <p className={styles.remark} role="status">
            {found === undefined
              ? 'Searching …'
              : choices.length === 0
                ? nothingFound
                : `${choices.length} of ${countWords(Math.max(found.total, choices.length))}`}
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
