import { NativeSelect, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash, IconX } from '@tabler/icons-react';
import { Button } from '../../../../ui/button.tsx';
import styles from './design.module.css';
import { type FieldDesign, newRule, type OnDelete, onDeleteWords, type RuleDesign } from './table-design.ts';
import type { DesignState } from './use-design.ts';

interface FieldDetailsProps {
  field: FieldDesign;
  /** True for a field of a new table, whose order can be changed. */
  isNew: boolean;
  onChange: (part: Partial<FieldDesign>) => void;
  state: DesignState;
}

/** The details of a field: its rules, the effect of deleting the row that it references, its comment and its position. */
export function FieldDetails({ field, isNew, onChange, state }: FieldDetailsProps) {
  const setRule = (key: string, part: Partial<RuleDesign>) =>
    onChange({ rules: field.rules.map((rule) => (rule.key === key ? { ...rule, ...part } : rule)) });
  const kinds = ruleKinds(field);
  return (
    <div className={styles.details}>
      {field.rules.map((rule) => (
        <RuleRow
          key={rule.key}
          rule={rule}
          kinds={kinds}
          onChange={(part) => setRule(rule.key, part)}
          onRemove={() => onChange({ rules: field.rules.filter(({ key }) => key !== rule.key) })}
        />
      ))}
      <label className={styles.keyed}>
        <input
          type="checkbox"
          checked={field.isKey}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked ? { isKey: true, isRequired: true } : { isKey: false, isUnique: field.unique !== null })
          }
        />
        Part of the key, which identifies a row
      </label>
      {field.target && (
        <NativeSelect
          className={styles.onDelete ?? ''}
          label="When the referenced row is deleted, this row"
          value={field.onDelete}
          data={[
            ...Object.entries(onDeleteWords).map(([value, label]) => ({ value, label })),
            ...(field.onDelete in onDeleteWords ? [] : [{ value: field.onDelete, label: field.onDelete }]),
          ]}
          onChange={({ currentTarget }) => onChange({ onDelete: currentTarget.value as OnDelete })}
        />
      )}
      <TextInput
        label={
          <span className={styles.labelled}>
            Comment <span className="soft">shown in chapter 3, in the portal and in the API description</span>
          </span>
        }
        value={field.comment}
        onChange={({ currentTarget }) => onChange({ comment: currentTarget.value })}
      />
      <DetailButtons {...{ field, kinds, isNew, onChange, state }} />
    </div>
  );
}

/** The buttons that add a rule, move the field and remove it. */
function DetailButtons({
  field,
  kinds,
  isNew,
  onChange,
  state,
}: FieldDetailsProps & { kinds: ReturnType<typeof ruleKinds> }) {
  const what = field.name || 'new field';
  return (
    <div className={styles.buttons}>
      {kinds.length > 0 && (
        <Button
          small
          icon={IconPlus}
          onClick={() => onChange({ rules: [...field.rules, newRule({ kind: kinds[0]?.[0] ?? 'between' })] })}
        >
          Add rule
        </Button>
      )}
      {isNew && (
        <>
          <Button
            small
            square
            kind="quiet"
            icon={IconArrowUp}
            label={`Move ${what} up`}
            onClick={() => state.moveField(field.key, -1)}
          />
          <Button
            small
            square
            kind="quiet"
            icon={IconArrowDown}
            label={`Move ${what} down`}
            onClick={() => state.moveField(field.key, 1)}
          />
        </>
      )}
      <Button small kind="quiet" icon={IconTrash} onClick={() => state.removeField(field.key)}>
        Remove field
      </Button>
    </div>
  );
}

/** Returns the kinds of rules that a field can have, with the words for each kind. */
function ruleKinds({ kind }: FieldDesign): [Exclude<RuleDesign['kind'], 'existing'>, string][] {
  if (kind === 'whole' || kind === 'number' || kind === 'money') return [['between', 'value between']];
  if (kind === 'list') return [['values', 'one of']];
  if (kind !== 'text') return [];
  return [
    ['length', 'length between'],
    ['values', 'one of'],
  ];
}

function RuleRow({
  rule,
  kinds,
  onChange,
  onRemove,
}: {
  rule: RuleDesign;
  kinds: [Exclude<RuleDesign['kind'], 'existing'>, string][];
  onChange: (part: Partial<RuleDesign>) => void;
  onRemove: () => void;
}) {
  if (rule.kind === 'existing') {
    return (
      <div className={styles.rule}>
        <span className={styles.grow}>
          <span className={styles.label}>Rule</span>
          {rule.words} <code className="soft">{rule.sql}</code>
        </span>
        <TextInput
          label="Message when violated"
          className={styles.grow ?? ''}
          value={rule.message}
          onChange={({ currentTarget }) => onChange({ message: currentTarget.value })}
        />
        <Button small square kind="quiet" icon={IconX} label={`Remove ${rule.name}`} onClick={onRemove} />
      </div>
    );
  }
  return (
    <div className={styles.rule}>
      <NativeSelect
        label="Values"
        value={rule.kind}
        data={kinds.map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as RuleDesign['kind'] })}
      />
      {rule.kind === 'values' ? (
        <TextInput
          label="Allowed values, with commas"
          className={styles.grow ?? ''}
          placeholder="open, waiting, closed"
          defaultValue={rule.values.join(', ')}
          onChange={({ currentTarget }) => onChange({ values: listOf(currentTarget.value) })}
        />
      ) : (
        <>
          <TextInput
            label="From"
            className={styles.bound ?? ''}
            inputMode="decimal"
            value={rule.min}
            placeholder="any"
            onChange={({ currentTarget }) => onChange({ min: currentTarget.value.trim() })}
          />
          <TextInput
            label="To"
            className={styles.bound ?? ''}
            inputMode="decimal"
            value={rule.max}
            placeholder="any"
            onChange={({ currentTarget }) => onChange({ max: currentTarget.value.trim() })}
          />
        </>
      )}
      <TextInput
        label="Message when violated"
        className={styles.grow ?? ''}
        value={rule.message}
        placeholder="A score is 1 to 5."
        onChange={({ currentTarget }) => onChange({ message: currentTarget.value })}
      />
      <Button small square kind="quiet" icon={IconX} label="Remove rule" onClick={onRemove} />
    </div>
  );
}

/** Splits a text at commas and removes duplicates: "open, closed" → ["open", "closed"]. Pure. */
const listOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];
