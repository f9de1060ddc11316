import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type Ref, useEffect, useState } from 'react';
import { Icon } from './icon.tsx';
import styles from './search-field.module.css';

const pause = 250;

/**
 * Field that searches a list. `onSearch` is called when the reader stops typing for a moment, or at once after Enter.
 * Esc empties the field.
 */
export function SearchField({
  label,
  example,
  value,
  onSearch,
  ref,
}: {
  label: string;
  /** Placeholder of the field: an example of a search. */
  example: string;
  value: string;
  onSearch: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}) {
  const [typed, setTyped] = useState(value);
  const [given, setGiven] = useState(value);
  if (given !== value) {
    setGiven(value);
    if (value !== typed.trim()) setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onSearch(typed.trim()), pause);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);

  return (
    <search className={styles.search}>
      <TextInput
        ref={ref ?? null}
        type="search"
        aria-label={label}
        placeholder={example}
        leftSection={<Icon of={IconSearch} small />}
        leftSectionWidth={26}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onSearch(typed.trim());
          if (event.key === 'Escape' && typed !== '') {
            event.preventDefault();
            setTyped('');
            onSearch('');
          }
        }}
      />
    </search>
  );
}
