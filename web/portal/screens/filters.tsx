import { IconX } from '@tabler/icons-react';
import type { PortalEntity } from '../../../contract/portal.ts';
import { t } from '../../language/messages.ts';
import { Icon } from '../../ui/icon.tsx';
import listStyles from './list-page.module.css';
import { choicesOf, conditionWords, filterWords } from './list-search.ts';
import styles from './page.module.css';

/**
 * Shows the conditions of a list as a sentence: those of the screen, then those of the member, which can be removed.
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
  const offered = entity.fields.filter((field) => field.readable && choicesOf(field).length > 0);
  const without = (name: string) => Object.fromEntries(Object.entries(conditions).filter(([one]) => one !== name));
  const fixed = filterWords(entity, filter);
  return (
    <div className={listStyles.say}>
      <span className={listStyles.adds}>
        {fixed.length > 0 && <span>{fixed.join(', ')}</span>}
        {Object.entries(conditions).map(([name, condition]) => (
          <button
            key={name}
            type="button"
            className={`${styles.word} ${listStyles.chip}`}
            title={t('removeFilter')}
            onClick={() => onChange(without(name))}
          >
            {conditionWords(entity, name, condition) ?? name} <Icon of={IconX} small />
          </button>
        ))}
        {offered.length > 0 && (
          <select
            className={listStyles.select}
            aria-label={t('addFilter')}
            value=""
            onChange={({ currentTarget }) => {
              const [field, choice] = currentTarget.value.split(' ').map(Number);
              const chosen = offered[field ?? -1];
              const condition = chosen && choicesOf(chosen)[choice ?? -1];
              if (chosen && condition) onChange({ ...conditions, [chosen.name]: condition.condition });
            }}
          >
            <option value="">{t('filterPlus')}</option>
            {offered.map((field, i) => (
              <optgroup key={field.name} label={field.label}>
                {choicesOf(field).map((choice, j) => (
                  <option key={choice.condition} value={`${i} ${j}`}>
                    {t('filterIs', { field: field.label, value: choice.label })}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        )}
      </span>
    </div>
  );
}
