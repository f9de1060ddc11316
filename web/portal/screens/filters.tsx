import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { PortalEntity, PortalField } from '../../../contract/portal.ts';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import listStyles from './list-page.module.css';
import { choicesOf, conditionWords, filterWords, hasRange, rangeCondition, rangeIn } from './list-search.ts';
import styles from './page.module.css';

/**
 * Shows the conditions of a list as a sentence: those of the screen, then those of the member, which can be removed. A
 * range opens its two limits.
 */
export function Filters({
  entity,
  filter,
  conditions,
  onChange,
}: {
  entity: PortalEntity;
  filter: string | null;
  conditions: Readonly<Record<string, string>>;
  onChange: (conditions: Record<string, string>) => void;
}) {
  const [ranged, setRanged] = useState<PortalField | null>(null);
  const without = (name: string) => Object.fromEntries(Object.entries(conditions).filter(([one]) => one !== name));
  const fixed = filterWords(entity, filter);
  return (
    <div className={listStyles.say}>
      <span className={listStyles.adds}>
        {fixed.length > 0 && <span>{fixed.join(', ')}</span>}
        {Object.entries(conditions).map(([name, condition]) => {
          const field = entity.fields.find((one) => one.name === name);
          const words = conditionWords(entity, name, condition) ?? name;
          const isRange = field !== undefined && hasRange(field) && rangeIn(condition) !== null;
          return isRange ? (
            <span key={name} className={listStyles.chip}>
              <button
                type="button"
                className={styles.word}
                aria-expanded={ranged === field}
                onClick={() => setRanged(ranged === field ? null : field)}
              >
                {words}
              </button>{' '}
              <button
                type="button"
                className={listStyles.remove}
                aria-label={t('removeFilterNamed', { words })}
                onClick={() => onChange(without(name))}
              >
                <Icon of={IconX} small />
              </button>
            </span>
          ) : (
            <button
              key={name}
              type="button"
              className={`${styles.word} ${listStyles.chip}`}
              title={t('removeFilter')}
              onClick={() => onChange(without(name))}
            >
              {words} <Icon of={IconX} small />
            </button>
          );
        })}
        <AddFilter
          entity={entity}
          onRange={setRanged}
          onAdd={(name, condition) => onChange({ ...conditions, [name]: condition })}
        />
      </span>
      {ranged && (
        <RangeForm
          key={ranged.name}
          field={ranged}
          condition={conditions[ranged.name] ?? ''}
          onClose={() => setRanged(null)}
          onChange={(condition) =>
            onChange(condition === null ? without(ranged.name) : { ...conditions, [ranged.name]: condition })
          }
        />
      )}
    </div>
  );
}

/** Select with all conditions that the fields of the entity offer. */
function AddFilter({
  entity,
  onRange,
  onAdd,
}: {
  entity: PortalEntity;
  onRange: (field: PortalField) => void;
  onAdd: (name: string, condition: string) => void;
}) {
  const offered = entity.fields.filter((field) => field.readable && (hasRange(field) || choicesOf(field).length > 0));
  if (offered.length === 0) return null;
  return (
    <select
      className={listStyles.select}
      aria-label={t('addFilter')}
      value=""
      onChange={({ currentTarget }) => {
        const [place, choice] = currentTarget.value.split(' ');
        const field = offered[Number(place)];
        const condition = field && choicesOf(field)[Number(choice)];
        if (field && choice === 'range') onRange(field);
        else if (field && condition) onAdd(field.name, condition.condition);
      }}
    >
      <option value="">{t('filterPlus')}</option>
      {offered.map((field, i) => (
        <optgroup key={field.name} label={field.label}>
          {hasRange(field) && <option value={`${i} range`}>{t('filterRange', { field: field.label })}</option>}
          {choicesOf(field).map((choice, j) => (
            <option key={choice.condition} value={`${i} ${j}`}>
              {t('filterIs', { field: field.label, value: choice.label })}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}

/** Form with the least and the greatest value of a field. */
function RangeForm({
  field,
  condition,
  onClose,
  onChange,
}: {
  field: PortalField;
  condition: string;
  onClose: () => void;
  onChange: (condition: string | null) => void;
}) {
  const [range, setRange] = useState(rangeIn(condition) ?? { from: '', to: '' });
  const type = field.editor === 'date' || field.editor === 'date and time' ? 'date' : 'text';
  const limit = (side: 'from' | 'to') => (
    <label>
      <span>{t(side === 'from' ? 'rangeFrom' : 'rangeTo')}</span>
      <input
        type={type}
        inputMode={type === 'text' ? 'decimal' : undefined}
        autoComplete="off"
        value={range[side]}
        // The form appears where the member chose to limit the field.
        // biome-ignore lint/a11y/noAutofocus: see above
        autoFocus={side === 'from'}
        onChange={({ currentTarget }) => setRange({ ...range, [side]: currentTarget.value })}
      />
    </label>
  );
  return (
    <form
      className={listStyles.range}
      aria-label={field.label}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        const typed = { from: plainNumber(range.from, type), to: plainNumber(range.to, type) };
        onChange(rangeCondition(typed));
        onClose();
      }}
    >
      <b>{field.label}</b>
      {limit('from')}
      {limit('to')}
      <Button small type="submit" kind="first">
        {t('apply')}
      </Button>
      <Button small onClick={onClose}>
        {t('cancel')}
      </Button>
    </form>
  );
}

/** Returns a typed number with a point; an empty text if it is no number. Days stay as they are. */
function plainNumber(text: string, type: 'date' | 'text'): string {
  if (type === 'date') return text;
  const plain = text
    .trim()
    .replaceAll(/[\s\u00a0\u202f']/g, '')
    .replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(plain) ? plain : '';
}
