import { TextInput } from '@mantine/core';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { type Operator, operatorTakes } from '../../../queries/rows/filter.ts';
import { listOf } from '../../../queries/rows/query-string.ts';
import { kindOf } from '../../../values/field-kind.ts';
import styles from './filters.module.css';

const examples: Partial<Record<ReturnType<typeof kindOf>, string>> = {
  date: '2026-11-20',
  timestamp: '2026-11-20 13:59',
  timestamptz: '2026-11-20 13:59',
  json: '{"source": "mail"}',
  array: 'reports, time zone',
  range: '[1,5)',
};

/** Editor of a filter's value: a choice of enum values, or a line of text. */
export function FilterValue({
  field,
  operator,
  value,
  onChange,
}: {
  field: Field;
  operator: Operator;
  value: string;
  onChange: (value: string) => void;
}) {
  const list = operatorTakes(operator) === 'list';
  const values = kindOf(field) === 'enum' ? (field.enum_values ?? []) : [];
  if (values.length > 0) {
    const chosen = list ? listOf(value) : [value];
    const toggle = (option: string) => {
      if (!list) return onChange(option);
      const next = chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option];
      onChange(next.map((each) => (/[",]/.test(each) ? JSON.stringify(each) : each)).join(', '));
    };
    return (
      <fieldset className={styles.options} aria-label={`Values of ${field.name}`}>
        {values.map((option) => (
          <label key={option} className={styles.option}>
            <input
              type={list ? 'checkbox' : 'radio'}
              name="value"
              checked={chosen.includes(option)}
              onChange={() => toggle(option)}
            />
            {option}
          </label>
        ))}
      </fieldset>
    );
  }
  const isPattern = operator === 'like' || operator === 'ilike';
  return (
    <TextInput
      aria-label={`Value of ${field.name}`}
      description={
        list ? 'Several, parted by commas.' : isPattern ? '% stands for any text, _ for one letter.' : undefined
      }
      placeholder={isPattern ? 'TK-%' : examples[kindOf(field)]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  );
}
