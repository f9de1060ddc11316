import { TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { type Filter, type Operator, operatorsFor, operatorTakes, operatorWord } from '../../../queries/rows/filter.ts';
import { listOf } from '../../../queries/rows/query-string.ts';
import { FilterValue } from '../../../tools/data/filters/filter-value.tsx';
import { kindOf } from '../../../values/field-kind.ts';
import styles from './editor.module.css';
import { type Condition, conditionOf, conditionWords, parseFilter, THE_MEMBER, writeFilter } from './filter-text.ts';

/** Describes a filter in short: "status is not closed, 2 more". Pure. */
export function filterWords(filter: string, fields: readonly Field[]): string {
  const [first, ...more] = parseFilter(filter, fields);
  if (!first) return 'all rows';
  return more.length === 0 ? conditionWords(first) : `${conditionWords(first)}, ${more.length} more`;
}

/** The conditions on the rows of a screen or a part. All of them must hold. */
export function Conditions({
  filter,
  fields,
  onChange,
}: {
  filter: string;
  fields: readonly Field[];
  onChange: (filter: string, typed?: string) => void;
}) {
  const conditions = parseFilter(filter, fields);
  const set = (place: number, condition: Condition | null, typed?: string) =>
    onChange(
      writeFilter(conditions.flatMap((one, index) => (index === place ? (condition ?? []) : one))),
      typed && `${typed} ${place}`,
    );
  const add = () => {
    const [field] = fields;
    if (!field) return;
    const [operator = 'eq'] = operatorsFor(kindOf(field), field.nullable);
    onChange(writeFilter([...conditions, conditionOf({ field: field.name, operator, value: '' })]));
  };
  return (
    <>
      {conditions.map((condition, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no other identity than its place.
        <div key={place} className={styles.condition}>
          {condition.filter ? (
            <BuiltCondition
              filter={condition.filter}
              fields={fields}
              onChange={(to, typed) => set(place, conditionOf(to), typed)}
            />
          ) : (
            <TextInput
              aria-label="Condition as text"
              description="As in the query of a data call."
              value={condition.text}
              spellCheck={false}
              autoComplete="off"
              classNames={{ input: styles.mono ?? '' }}
              onChange={({ currentTarget }) =>
                set(place, { text: currentTarget.value.replaceAll('&', '%26'), filter: null }, 'text')
              }
            />
          )}
          <Button
            small
            square
            kind="quiet"
            icon={IconX}
            label={`Remove the condition ${conditionWords(condition)}`}
            onClick={() => set(place, null)}
          />
        </div>
      ))}
      <Button small icon={IconPlus} onClick={add}>
        Add condition
      </Button>
    </>
  );
}

/** A condition of three choices: the field, the operator in words, and the value. */
function BuiltCondition({
  filter,
  fields,
  onChange,
}: {
  filter: Filter;
  fields: readonly Field[];
  onChange: (filter: Filter, typed?: string) => void;
}) {
  const field = fields.find(({ name }) => name === filter.field);
  if (!field) return null;
  const operators = operatorsFor(kindOf(field), field.nullable);
  const chooseField = (name: string) => {
    const chosen = fields.find((one) => one.name === name);
    if (!chosen) return;
    const offered = operatorsFor(kindOf(chosen), chosen.nullable);
    const operator = offered.includes(filter.operator) ? filter.operator : (offered[0] ?? 'eq');
    onChange({ field: chosen.name, operator, value: '' });
  };
  return (
    <div className={styles.built}>
      <select
        className={styles.select}
        aria-label="Field of the condition"
        value={filter.field}
        onChange={({ currentTarget }) => chooseField(currentTarget.value)}
      >
        {fields.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        className={styles.select}
        aria-label={`Operator on ${filter.field}`}
        value={filter.operator}
        onChange={({ currentTarget }) => {
          const operator = currentTarget.value as Operator;
          onChange({ ...filter, operator, value: operatorTakes(operator) === 'nothing' ? '' : filter.value });
        }}
      >
        {operators.map((operator) => (
          <option key={operator} value={operator}>
            {operatorWord(operator)}
          </option>
        ))}
      </select>
      {operatorTakes(filter.operator) !== 'nothing' && <Value {...{ field, filter, onChange }} />}
    </div>
  );
}

/** The value of a condition. A field with the id of a member offers the member who looks. */
function Value({
  field,
  filter,
  onChange,
}: {
  field: Field;
  filter: Filter;
  onChange: (filter: Filter, typed?: string) => void;
}) {
  // The text as it is typed, because a list at its comma has the same values as without it.
  const [typed, setTyped] = useState(filter.value);
  const isSameList =
    operatorTakes(filter.operator) === 'list' && listOf(typed).join('\n') === listOf(filter.value).join('\n');
  const canBeMember = kindOf(field) === 'uuid' && (filter.operator === 'eq' || filter.operator === 'neq');
  const isMember = filter.value === THE_MEMBER;
  return (
    <>
      {canBeMember && (
        <select
          className={styles.select}
          aria-label={`Whose id ${filter.field} has`}
          value={isMember ? 'member' : 'value'}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...filter, value: value === 'member' ? THE_MEMBER : '' })
          }
        >
          <option value="member">the member</option>
          <option value="value">this id</option>
        </select>
      )}
      {!isMember && (
        <FilterValue
          field={field}
          operator={filter.operator}
          value={isSameList ? typed : filter.value}
          onChange={(value) => {
            setTyped(value);
            onChange({ ...filter, value }, 'value');
          }}
        />
      )}
    </>
  );
}
