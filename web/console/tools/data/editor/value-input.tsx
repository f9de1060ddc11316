import { Textarea, TextInput } from '@mantine/core';
import { type KeyboardEvent, useId } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { type FieldKind, kindOf } from '../../../values/field-kind.ts';
import styles from './editor.module.css';

/** Maximum number of enum values that are shown as radio buttons. */
const radios = 8;

/** Returns true if a key saves a value: Enter. Shift and Enter in a text, and Enter in JSON, start a new line. */
export const isSaveKey = (event: KeyboardEvent, kind: FieldKind): boolean =>
  !event.nativeEvent.isComposing &&
  event.key === 'Enter' &&
  (event.ctrlKey || event.metaKey || !(event.shiftKey || kind === 'json'));

/**
 * Input for a value, depending on its type: a choice, one line of text or several lines. `value` null is SQL's null.
 * `onChange` gets a text.
 */
export function ValueInput({
  field,
  value,
  label,
  placeholder,
  failed,
  autoFocus = false,
  lines = 2,
  onChange,
  onSave,
}: {
  field: Field;
  value: string | null;
  /** Accessible name. */
  label: string;
  placeholder?: string | undefined;
  failed: boolean;
  autoFocus?: boolean;
  /** Minimum number of visible lines. */
  lines?: number;
  onChange: (value: string) => void;
  onSave?: () => void;
}) {
  const kind = kindOf(field);
  const values = kind === 'boolean' ? ['true', 'false'] : kind === 'enum' ? (field.enum_values ?? []) : null;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!onSave || !isSaveKey(event, kind)) return;
    event.preventDefault();
    onSave();
  };
  if (values) {
    return (
      <Choice
        values={values}
        value={value}
        label={label}
        placeholder={placeholder}
        autoFocus={autoFocus}
        onChange={onChange}
        onKeyDown={onKeyDown}
      />
    );
  }
  const common = {
    'aria-label': label,
    value: value ?? '',
    placeholder: placeholder ?? (value === null ? 'null' : undefined),
    error: failed,
    autoComplete: 'off',
    spellCheck: kind === 'text',
    'data-autofocus': autoFocus || undefined,
    onKeyDown,
  };
  const manyLines = kind === 'text' || kind === 'json' || kind === 'array' || kind === 'other';
  if (!manyLines) {
    return (
      <TextInput
        {...common}
        ref={autoFocus ? focusAtEnd : null}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <Textarea
      {...common}
      ref={autoFocus ? focusAtEnd : null}
      rows={rowsFor(value ?? '', kind === 'json' ? 2 * lines : lines)}
      classNames={kind === 'text' ? {} : { input: styles.code ?? '' }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Focuses an input and moves the caret to the end of its text. */
export function focusAtEnd(input: HTMLInputElement | HTMLTextAreaElement | null) {
  if (!input || document.activeElement === input) return;
  input.focus({ preventScroll: true });
  input.setSelectionRange(input.value.length, input.value.length);
}

/** Returns the number of visible lines of an input: as many as the text needs, but at most eight. */
const rowsFor = (text: string, min: number): number =>
  Math.min(8, Math.max(min, text.split('\n').length, Math.ceil(text.length / 44)));

function Choice({
  values,
  value,
  label,
  placeholder,
  autoFocus,
  onChange,
  onKeyDown,
}: {
  values: readonly string[];
  value: string | null;
  label: string;
  placeholder: string | undefined;
  autoFocus: boolean;
  onChange: (value: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const name = useId();
  if (values.length > radios) {
    return (
      <select
        className={styles.select}
        aria-label={label}
        value={value ?? ''}
        ref={autoFocus ? focusOn : null}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      >
        {value === null && (
          <option value="" disabled>
            {placeholder ?? 'null'}
          </option>
        )}
        {values.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  const focused = value !== null && values.includes(value) ? value : values[0];
  return (
    <fieldset className={styles.choice} aria-label={label}>
      {values.map((option) => (
        <label key={option} className={styles.option}>
          <input
            type="radio"
            name={name}
            checked={option === value}
            ref={autoFocus && option === focused ? focusOn : null}
            onChange={() => onChange(option)}
            onKeyDown={onKeyDown}
          />
          {option}
        </label>
      ))}
    </fieldset>
  );
}

function focusOn(input: HTMLElement | null) {
  if (input && !input.closest('fieldset')?.contains(document.activeElement)) input.focus({ preventScroll: true });
}
