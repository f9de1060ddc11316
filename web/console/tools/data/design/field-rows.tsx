import { NativeSelect, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { shortId } from '../../../format/format.ts';
import styles from './design.module.css';
import { FieldDetails } from './field-details.tsx';
import {
  type DefaultDesign,
  type FieldDesign,
  membersTarget,
  newRule,
  type Target,
  type TypeKind,
  targets,
  typeKinds,
} from './table-design.ts';
import type { DesignState } from './use-design.ts';

/** The fields of a table, with one row for each. The details of the open field are below its row. */
export function FieldRows({
  state,
  entities,
  isNew,
}: {
  state: DesignState;
  entities: readonly Entity[];
  isNew: boolean;
}) {
  const { design, setField } = state;
  const [open, setOpen] = useState<string | null>(null);
  return (
    <section className={styles.section} aria-labelledby="design-fields">
      <div className={styles.head}>
        <h2 id="design-fields">Fields</h2>
        <span>{design.fields.length}</span>
        <span className={styles.tools}>
          <Button small icon={IconPlus} onClick={() => setOpen(state.addField())}>
            Add field
          </Button>
        </span>
      </div>
      <div className={styles.table}>
        <table className={styles.fields}>
          <thead>
            <tr>
              <th scope="col">
                <span className="sr">Details</span>
              </th>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">Required</th>
              <th scope="col">Default</th>
              <th scope="col">Unique</th>
              <th scope="col">Allowed values</th>
            </tr>
          </thead>
          <tbody>
            {design.fields.map((field) => (
              <FieldRow
                key={field.key}
                field={field}
                entities={entities}
                isNew={isNew}
                isOpen={open === field.key}
                onOpen={() => setOpen(open === field.key ? null : field.key)}
                onChange={(part) => setField(field.key, part)}
                state={state}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function FieldRow({
  field,
  entities,
  isNew,
  isOpen,
  onOpen,
  onChange,
  state,
}: {
  field: FieldDesign;
  entities: readonly Entity[];
  isNew: boolean;
  isOpen: boolean;
  onOpen: () => void;
  onChange: (part: Partial<FieldDesign>) => void;
  state: DesignState;
}) {
  const what = field.name || 'new field';
  return (
    <>
      <tr className={classNames(isOpen && styles.open)}>
        <td>
          <Button
            small
            square
            kind="quiet"
            icon={isOpen ? IconChevronDown : IconChevronRight}
            label={`Details of ${what}`}
            aria-expanded={isOpen}
            onClick={onOpen}
          />
        </td>
        <td>
          <TextInput
            aria-label={`Name of ${what}`}
            value={field.name}
            placeholder="name"
            autoComplete="off"
            spellCheck={false}
            autoFocus={isOpen && field.name === ''}
            leftSection={field.isKey ? <Icon of={IconKey} small /> : undefined}
            classNames={{ input: styles.mono ?? '' }}
            onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
          />
        </td>
        <td>
          <TypeSelect field={field} entities={entities} onChange={onChange} />
        </td>
        <CheckCell field={field} part="isRequired" word="required" onChange={onChange} />
        <td>
          <DefaultSelect field={field} onChange={onChange} />
        </td>
        <CheckCell field={field} part="isUnique" word="unique" onChange={onChange} />
        <td className={styles.rules} title={rulesInWords(field)}>
          {rulesInWords(field)}
        </td>
      </tr>
      {isOpen && (
        <tr className={styles.open}>
          <td />
          <td colSpan={6}>
            <FieldDetails field={field} isNew={isNew} onChange={onChange} state={state} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Cell with a checkbox. For a field of the key the checkbox is fixed, because such a field is always required and unique. */
function CheckCell({
  field,
  part,
  word,
  onChange,
}: {
  field: FieldDesign;
  part: 'isRequired' | 'isUnique';
  word: string;
  onChange: (part: Partial<FieldDesign>) => void;
}) {
  return (
    <td className={styles.check}>
      <input
        type="checkbox"
        aria-label={`${field.name || 'new field'} is ${word}`}
        checked={field[part]}
        disabled={field.isKey}
        onChange={({ currentTarget }) => onChange({ [part]: currentTarget.checked })}
      />
    </td>
  );
}

/** Returns the rules of a field in short: "1 to 5", "up to 200 characters", "open, closed". */
function rulesInWords({ rules, enumValues }: FieldDesign): string {
  if (enumValues.length > 0) return enumValues.join(', ');
  const words = rules.map(({ kind, min, max, values, words: known }) => {
    if (kind === 'existing') return known;
    if (kind === 'values') return values.join(', ') || '…';
    const unit = kind === 'length' ? ' characters' : '';
    if (min !== '' && max !== '') return `${min} to ${max}${unit}`;
    return min !== '' ? `${min}${unit} or more` : max !== '' ? `up to ${max}${unit}` : '…';
  });
  return words.join('; ') || 'any';
}

const targetValue = ({ entity, field }: Target): string => `reference ${entity} ${field}`;
const targetWords = ({ entity }: Target): string =>
  `reference to ${entity === membersTarget.entity ? 'members' : shortId(entity)}`;

/** Chooses the type of a field in plain words. An existing type that has no plain word remains until the builder chooses another type. */
function TypeSelect({
  field,
  entities,
  onChange,
}: {
  field: FieldDesign;
  entities: readonly Entity[];
  onChange: (part: Partial<FieldDesign>) => void;
}) {
  const all = targets(entities);
  const known = field.target && all.find((target) => targetValue(target) === targetValue(field.target ?? target));
  const own = field.target && !known ? [field.target] : [];
  const kinds = Object.entries(typeKinds).filter(([kind]) => kind !== 'other');
  const choose = (value: string) => {
    const target = [...all, ...own].find((one) => targetValue(one) === value);
    if (target) {
      onChange({
        kind: 'reference',
        type: target.type,
        target,
        default: withoutForeign(field.default, target),
        rules: [],
      });
      return;
    }
    const kind = value as Exclude<TypeKind, 'reference' | 'other'>;
    if (!(kind in typeKinds)) return;
    onChange({
      ...{ kind, type: typeKinds[kind].sql, target: null, default: { kind: 'none' }, enumValues: [] },
      rules: kind === 'list' ? [newRule({ kind: 'values' })] : [],
    });
  };
  return (
    <NativeSelect
      aria-label={`Type of ${field.name || 'new field'}`}
      value={field.target ? targetValue(field.target) : field.kind}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[
        ...(field.kind === 'other' ? [{ value: 'other', label: shortId(field.type) }] : []),
        ...kinds.map(([value, { words }]) => ({ value, label: words })),
        ...[...all, ...own].map((target) => ({ value: targetValue(target), label: targetWords(target) })),
      ]}
    />
  );
}

/** Returns the default of a field that becomes a reference. Only a reference to members can keep the caller as its default. */
const withoutForeign = (value: DefaultDesign, target: Target): DefaultDesign =>
  value.kind === 'caller' && target.entity === membersTarget.entity ? value : { kind: 'none' };

/** Chooses the default of a field: the value of new rows for which the caller gives no value. */
function DefaultSelect({ field, onChange }: { field: FieldDesign; onChange: (part: Partial<FieldDesign>) => void }) {
  const what = field.name || 'new field';
  const { default: value, kind, target } = field;
  const isMember = target?.entity === membersTarget.entity;
  const choices: [isOffered: boolean, kind: DefaultDesign['kind'], word: string][] = [
    [true, 'none', 'none'],
    [kind === 'whole', 'counts-up', 'counts up'],
    [kind === 'date' || kind === 'time', 'now', kind === 'date' ? 'today' : 'now'],
    [isMember, 'caller', 'the caller'],
    [kind === 'identifier', 'random', 'random'],
    [kind !== 'reference' && kind !== 'identifier', 'value', 'value'],
    [value.kind === 'sql', 'sql', value.kind === 'sql' ? value.sql : ''],
  ];
  return (
    <span className={styles.default}>
      <NativeSelect
        aria-label={`Default of ${what}`}
        value={value.kind}
        data={choices.filter(([isOffered]) => isOffered).map(([, one, label]) => ({ value: one, label }))}
        onChange={({ currentTarget }) => {
          const chosen = currentTarget.value as DefaultDesign['kind'];
          onChange({
            default: chosen === 'value' ? { kind: 'value', text: '' } : chosen === 'sql' ? value : { kind: chosen },
          });
        }}
      />
      {value.kind === 'value' && (
        <TextInput
          aria-label={`Default value of ${what}`}
          value={value.text}
          onChange={({ currentTarget }) => onChange({ default: { kind: 'value', text: currentTarget.value } })}
        />
      )}
    </span>
  );
}
