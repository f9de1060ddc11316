import type { ReactNode } from 'react';
import { t } from '../language/messages.ts';
import { Combo, type ComboProps } from './combo.tsx';
import editorStyles from './editor.module.css';
import { countWords } from './format.ts';

/** A row that a field can reference. */
export interface Choice {
  /** The value that the field gets if this row is chosen. */
  readonly value: string;
  /** The label of the row. */
  readonly name: string;
  /** Text that distinguishes this row from rows with the same label. */
  readonly note: string;
}

/** The first rows whose labels contain the searched text, and the number of all such rows. */
export interface Choices {
  readonly choices: readonly Choice[];
  readonly total: number;
}

export interface ReferencePickerProps
  extends Pick<
    ComboProps,
    'id' | 'label' | 'listLabel' | 'placeholder' | 'search' | 'onSearch' | 'describedBy' | 'isWrong' | 'isInCell'
  > {
  /** The stored value; null if the field has none. */
  value?: string | null;
  /** Label of the chosen row; empty if no row is chosen. */
  chosen: string;
  /** The option that chooses no row; null if the field must have a row. */
  none: ReactNode;
  /** The rows that match the typed text; undefined while the server searches. */
  found: Choices | undefined;
  /** Sentence that is shown if no row matches. */
  nothingFound: string;
  /** Words that follow the number of rows, for example "match name or email". */
  searched?: string | undefined;
  className?: string | undefined;
  children?: ReactNode;
  onChoose: (choice: Choice | null) => void;
}

const NONE = ' none';

/** Chooses a row by its label. Typed text is searched in the labels on the server. The picker never shows a key. */
export function ReferencePicker({
  value = null,
  chosen,
  none,
  found,
  nothingFound,
  searched,
  className,
  onChoose,
  ...combo
}: ReferencePickerProps) {
  const { search } = combo;
  const choices = found?.choices ?? [];
  const options = [
    ...choices.map(({ value: key, name, note }) => ({ key, name, note, isCurrent: key === value })),
    ...(none !== null && search === '' ? [{ key: NONE, name: none }] : []),
  ];
  return (
    <Combo
      {...combo}
      className={className ?? editorStyles.control}
      text={chosen}
      options={options}
      remark={
        found === undefined
          ? t('searching')
          : choices.length === 0
            ? nothingFound
            : `${t('count', { count: choices.length, max: countWords(Math.max(found.total, choices.length)) })}${searched ? ` ${searched}` : ''}`
      }
      onChoose={(key) => onChoose(choices.find((choice) => choice.value === key) ?? null)}
    />
  );
}
