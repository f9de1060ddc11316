import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { type Filter, operatorsFor, operatorTakes } from '../../../queries/rows/filter.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { FieldMenu } from './field-menu.tsx';
import { FilterChip } from './filter-chip.tsx';

/** Filters of a sheet, with a button that adds a filter. */
export function Filters({
  where,
  fields,
  adding,
  onAdding,
  onChange,
}: {
  where: readonly Filter[];
  fields: readonly Field[];
  /** True while the choice of a field for a new filter is open. */
  adding: boolean;
  onAdding: (open: boolean) => void;
  onChange: (where: Filter[]) => void;
}) {
  const [editing, setEditing] = useState<number | null>(null);
  const add = (field: Field) => {
    const [operator = 'eq'] = operatorsFor(kindOf(field), field.nullable);
    onChange([...where, { field: field.name, operator, value: '' }]);
    if (operatorTakes(operator) !== 'nothing') setEditing(where.length);
  };
  return (
    <>
      {where.map((filter, index) => (
        <FilterChip
          key={`${filter.field} ${where.slice(0, index).filter(({ field }) => field === filter.field).length}`}
          filter={filter}
          fields={fields}
          opened={editing === index}
          onOpened={(opened) => setEditing(opened ? index : null)}
          onChange={(changed) => onChange(where.map((each, place) => (place === index ? changed : each)))}
          onRemove={() => {
            setEditing(null);
            onChange(where.filter((_, place) => place !== index));
          }}
        />
      ))}
      <FieldMenu fields={fields} opened={adding} onOpened={onAdding} onChoose={add}>
        <Button small kind="quiet" icon={IconPlus}>
          Filter
        </Button>
      </FieldMenu>
    </>
  );
}
