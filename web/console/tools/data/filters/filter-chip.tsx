import { Menu, Popover } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import chip from '../../../../ui/chip.module.css';
import { Icon } from '../../../../ui/icon.tsx';
import { type Filter, operatorsFor, operatorTakes, operatorWord } from '../../../queries/rows/filter.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { FieldMenu } from './field-menu.tsx';
import { FilterValue } from './filter-value.tsx';
import styles from './filters.module.css';

/** Chip of a filter with three parts: field, operator and value. Each part opens its own choice. */
export function FilterChip({
  filter,
  fields,
  opened,
  onOpened,
  onChange,
  onRemove,
}: {
  filter: Filter;
  fields: readonly Field[];
  /** True while the value is edited. */
  opened: boolean;
  onOpened: (opened: boolean) => void;
  onChange: (filter: Filter) => void;
  onRemove: () => void;
}) {
  const field = fields.find(({ name }) => name === filter.field);
  const takes = operatorTakes(filter.operator);
  return (
    <span className={chip.chip}>
      <FieldMenu fields={fields} onChoose={(chosen) => onChange(refit(filter, chosen))}>
        <button type="button" className={chip.field} aria-label={`Field ${filter.field}. Choose another`}>
          {filter.field}
        </button>
      </FieldMenu>
      {field && <OperatorMenu field={field} filter={filter} onChange={onChange} />}
      {field && takes !== 'nothing' && (
        <Popover position="bottom-start" trapFocus returnFocus opened={opened} onChange={onOpened}>
          <Popover.Target>
            <button
              type="button"
              className={chip.value}
              aria-label={`Value ${filter.value}. Change it`}
              onClick={() => onOpened(!opened)}
            >
              {filter.value === '' ? '…' : filter.value}
            </button>
          </Popover.Target>
          <Popover.Dropdown>
            <ValueForm
              field={field}
              filter={filter}
              onApply={(value) => {
                onOpened(false);
                onChange({ ...filter, value });
              }}
            />
          </Popover.Dropdown>
        </Popover>
      )}
      <button
        type="button"
        className={chip.remove}
        aria-label={`Remove the filter on ${filter.field}`}
        onClick={onRemove}
      >
        <Icon of={IconX} small />
      </button>
    </span>
  );
}

/** Moves a filter to another field. Keeps its operator and value if the type of that field allows the operator. */
function refit(filter: Filter, field: Field): Filter {
  const operators = operatorsFor(kindOf(field), field.nullable);
  const operator = operators.includes(filter.operator) ? filter.operator : (operators[0] ?? 'eq');
  return { field: field.name, operator, value: operator === filter.operator ? filter.value : '' };
}

function OperatorMenu({
  field,
  filter,
  onChange,
}: {
  field: Field;
  filter: Filter;
  onChange: (filter: Filter) => void;
}) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" aria-label={`Operator ${operatorWord(filter.operator)}. Choose another`}>
          {operatorWord(filter.operator)}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {operatorsFor(kindOf(field), field.nullable).map((operator) => (
          <Menu.Item
            key={operator}
            onClick={() =>
              onChange({ ...filter, operator, value: operatorTakes(operator) === 'nothing' ? '' : filter.value })
            }
          >
            {operatorWord(operator)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function ValueForm({ field, filter, onApply }: { field: Field; filter: Filter; onApply: (value: string) => void }) {
  const [draft, setDraft] = useState(filter.value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(draft);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <FilterValue field={field} operator={filter.operator} value={draft} onChange={setDraft} />
      <Button small kind="first" type="submit">
        Apply
      </Button>
    </form>
  );
}
