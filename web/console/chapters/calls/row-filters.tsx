import { Select, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Button } from '../../../ui/button.tsx';
import { type Draft, operators } from './draft.ts';
import styles from './try-it.module.css';

/** Form of the filters on rows: each has a field, an operator and a value. */
export function RowFilters({
  entity,
  draft,
  onChange,
}: {
  entity: Entity;
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}) {
  const { filters } = draft;
  const set = (place: number, part: Partial<Draft['filters'][number]>) =>
    onChange({ filters: filters.map((filter, i) => (i === place ? { ...filter, ...part } : filter)) });
  const names = entity.fields.map(({ name }) => name);
  // The clicked remove button disappears with its filter, so the focus moves to this button.
  const add = useRef<HTMLButtonElement>(null);
  const remove = (place: number) => {
    onChange({ filters: filters.filter((_, i) => i !== place) });
    add.current?.focus();
  };
  return (
    <fieldset className={styles.filters}>
      <legend>Filters</legend>
      {filters
        .map((filter, place) => ({ filter, place }))
        .map(({ filter, place }) => (
          <div key={place} className={styles.filter}>
            <Select
              aria-label={`Field of filter ${place + 1}`}
              data={names}
              searchable
              allowDeselect={false}
              value={filter.field}
              onChange={(field) => field !== null && set(place, { field })}
            />
            <Select
              aria-label={`Operator of filter ${place + 1}`}
              data={[...operators]}
              allowDeselect={false}
              value={filter.operator}
              onChange={(operator) => operator !== null && set(place, { operator })}
            />
            <TextInput
              aria-label={`Value of filter ${place + 1}`}
              value={filter.value}
              onChange={(event) => set(place, { value: event.currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
            />
            <Button
              kind="quiet"
              square
              icon={IconX}
              label={`Remove filter ${place + 1}`}
              onClick={() => remove(place)}
            />
          </div>
        ))}
      <Button
        ref={add}
        kind="quiet"
        small
        icon={IconPlus}
        onClick={() => onChange({ filters: [...filters, { field: names[0] ?? '', operator: 'eq', value: '' }] })}
      >
        Add filter
      </Button>
    </fieldset>
  );
}
