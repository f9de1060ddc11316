import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { use, useId, useState } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { ReferenceControlContext } from '../../../fields/editor.tsx';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { row } from '../../queries/rows.ts';
import { entityIn, useScreens } from '../../queries/screens.ts';
import styles from '../shared/page.module.css';
import { useCaller } from '../shell/gate.tsx';
import listStyles from './list-page.module.css';
import { choicesOf, conditionWords, filterWords, hasRange, rangeCondition, rangeIn } from './list-search.ts';

/**
 * Shows the conditions of a list as a sentence. The conditions of the screen come first; the member can remove the
 * conditions that follow. A condition on a range opens a form with its two limits.
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
  const [asked, setAsked] = useState<PortalField | null>(null);
  const ranged = asked !== null && asked.reference === null ? asked : null;
  const without = (name: string) => Object.fromEntries(Object.entries(conditions).filter(([one]) => one !== name));
  const fixed = filterWords(entity, filter, useCaller()?.user.id ?? null);
  return (
    <div className={listStyles.say}>
      <span className={listStyles.adds}>
        {fixed.length > 0 && <span>{fixed.join(', ')}</span>}
        {Object.entries(conditions).map(([name, condition]) => (
          <Condition
            key={name}
            {...{ entity, name, condition }}
            isOpen={ranged?.name === name}
            onOpen={(field) => setAsked(ranged === field ? null : field)}
            onRemove={() => onChange(without(name))}
          />
        ))}
        <AddFilter
          entity={entity}
          onAsk={setAsked}
          onAdd={(name, condition) => onChange({ ...conditions, [name]: condition })}
        />
      </span>
      {asked?.reference && (
        <ReferenceForm
          key={asked.name}
          field={asked}
          onClose={() => setAsked(null)}
          onChoose={(value) => onChange({ ...conditions, [asked.name]: `eq.${value}` })}
        />
      )}
      {ranged && (
        <RangeForm
          key={ranged.name}
          field={ranged}
          condition={(Object.hasOwn(conditions, ranged.name) && conditions[ranged.name]) || ''}
          onClose={() => setAsked(null)}
          onChange={(condition) =>
            onChange(condition === null ? without(ranged.name) : { ...conditions, [ranged.name]: condition })
          }
        />
      )}
    </div>
  );
}

/** Condition of a list in words, with a button that removes it. The words of a condition on a range open its form. */
function Condition({
  entity,
  name,
  condition,
  isOpen,
  onOpen,
  onRemove,
}: {
  entity: PortalEntity;
  name: string;
  condition: string;
  /** True while the form of the range is shown. */
  isOpen: boolean;
  onOpen: (field: PortalField) => void;
  onRemove: () => void;
}) {
  const field = entity.fields.find((one) => one.name === name);
  const words = conditionWords(entity, name, condition) ?? name;
  if (field !== undefined && hasRange(field) && rangeIn(condition) !== null) {
    return (
      <span className={listStyles.chip}>
        <button type="button" className={styles.word} aria-expanded={isOpen} onClick={() => onOpen(field)}>
          {words}
        </button>{' '}
        <button
          type="button"
          className={listStyles.remove}
          aria-label={t('removeFilterNamed', { words })}
          onClick={onRemove}
        >
          <Icon of={IconX} small />
        </button>
      </span>
    );
  }
  return (
    <button type="button" className={`${styles.word} ${listStyles.chip}`} title={t('removeFilter')} onClick={onRemove}>
      {field?.reference && condition.startsWith('eq.') ? <ReferenceWords field={field} condition={condition} /> : words}{' '}
      <Icon of={IconX} small />
    </button>
  );
}

/** Select field with all conditions that the fields of the entity offer. */
function AddFilter({
  entity,
  onAsk,
  onAdd,
}: {
  entity: PortalEntity;
  /** Called with a field for which the member must enter limits or choose a row. */
  onAsk: (field: PortalField) => void;
  onAdd: (name: string, condition: string) => void;
}) {
  const isOffered = (field: PortalField) => hasRange(field) || field.reference !== null || choicesOf(field).length > 0;
  const offered = entity.fields.filter((field) => field.readable && isOffered(field));
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
        if (field && choice === 'ask') onAsk(field);
        else if (field && condition) onAdd(field.name, condition.condition);
      }}
    >
      <option value="">{t('filterPlus')}</option>
      {offered.map((field, i) => (
        <optgroup key={field.name} label={field.label}>
          {hasRange(field) && <option value={`${i} ask`}>{t('filterRange', { field: field.label })}</option>}
          {field.reference && <option value={`${i} ask`}>{t('filterIs', { field: field.label, value: '…' })}</option>}
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

/** Picker of the row that a field must reference to meet the condition. */
function ReferenceForm({
  field,
  onClose,
  onChoose,
}: {
  field: PortalField;
  onClose: () => void;
  onChoose: (value: string) => void;
}) {
  const Reference = use(ReferenceControlContext);
  const id = useId();
  if (!Reference) return null;
  return (
    <div className={listStyles.range}>
      <label htmlFor={id}>
        <b>{field.label}</b>
      </label>
      <Reference
        {...{ id, field }}
        value=""
        chosen={null}
        describedBy={undefined}
        isWrong={false}
        actsAtOnce
        onChange={(value) => {
          if (value !== '') onChoose(value);
          onClose();
        }}
      />
      <Button small onClick={onClose}>
        {t('cancel')}
      </Button>
    </div>
  );
}

/** Describes a condition on a reference by the label of the referenced row, for example "Topic is Billing". */
function ReferenceWords({ field, condition }: { field: PortalField; condition: string }) {
  const portal = usePortal();
  const all = useScreens();
  const target = field.reference && entityIn(all, field.reference.entity);
  const value = condition.slice('eq.'.length);
  const key = { [field.reference?.field ?? '']: value };
  const { data } = useQuery({ ...row(portal, all, target as PortalEntity, key), enabled: target != null });
  return t('filterIs', { field: field.label, value: target && data ? rowName(all, target, data) : value });
}

/** Form for the least and the greatest value of a field. */
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
        // biome-ignore lint/a11y/noAutofocus: the member has just chosen to limit this field
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

/** Returns a typed number with a point as its decimal separator; an empty text if it is no number. Dates stay as they are. */
function plainNumber(text: string, type: 'date' | 'text'): string {
  if (type === 'date') return text;
  const plain = text
    .trim()
    .replaceAll(/[\s\u00a0\u202f']/g, '')
    .replace(',', '.');
  return /^-?\d+(\.\d+)?$/.test(plain) ? plain : '';
}
