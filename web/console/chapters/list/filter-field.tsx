import { TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useMemo, useRef } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import styles from './list.module.css';

/** Filters a table by the typed text. The key F moves the focus to the field, Esc empties it. */
export function FilterField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useKeys(useMemo(() => [{ keys: 'f', group: 'This page', does: label, run: () => field.current?.focus() }], [label]));
  return (
    <TextInput
      ref={field}
      className={styles.filter ?? ''}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon of={IconFilter} small />}
      leftSectionWidth={28}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || value === '') return;
        event.preventDefault();
        onChange('');
      }}
    />
  );
}
