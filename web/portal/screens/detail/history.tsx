import type { PortalEntity, PortalMachine } from '../../../../contract/portal.ts';
import { ago, fullTime, timeOf } from '../../../fields/format.ts';
import { stateColour } from '../../../fields/state.tsx';
import { t } from '../../../language/messages.ts';
import { useMemberNames } from '../../queries/member-names.ts';
import type { Row } from '../../queries/rest.ts';
import pageStyles from '../shared/page.module.css';
import { useCaller } from '../shell/gate.tsx';
import styles from './detail-page.module.css';

/** A state change of a row, from the computed field `state_changes`. */
interface StateChange {
  readonly field: string;
  readonly transition: string | null;
  readonly from: string | null;
  readonly to: string;
  readonly member: string | null;
  readonly at: string;
}

/** Lists the state changes of a row, newest first. Each has its caller and its time. */
export function History({ entity, machine, row }: { entity: PortalEntity; machine: PortalMachine; row: Row }) {
  const caller = useCaller();
  const changes = (
    machine.undecided === null && Array.isArray(row.state_changes) ? (row.state_changes as StateChange[]) : []
  ).filter(({ field }) => field === machine.field);
  const names = useMemberNames(changes.flatMap(({ member }) => member ?? []));
  if (changes.length === 0) return null;
  const by = ({ member }: StateChange, state: string) => {
    if (member === null) return state;
    if (member === caller?.user.id) return t('historyByYou', { state });
    const name = names[member];
    return name === undefined ? t('historyByMember', { state }) : t('historyBy', { state, name });
  };
  const label = (state: string | null) => machine.states.find(({ value }) => value === state)?.label ?? state ?? '';
  return (
    <>
      <h2 className={pageStyles.panelHead}>{t('history')}</h2>
      <ul className={styles.history}>
        {[...changes].reverse().map((change) => {
          const time = timeOf(change.at);
          const made = change.from === null;
          return (
            <li key={change.at}>
              <i style={{ '--c': `var(--${stateColour(machine, change.to)})` } as React.CSSProperties} />
              <span>{by(change, made ? t('historyNew', { one: entity.one }) : label(change.to))}</span>
              {time && (
                <time dateTime={time.toISOString()} title={fullTime(time)}>
                  {ago(time, new Date())}
                </time>
              )}
              <small>
                {made ? t('historyFirst') : t('historyFromTo', { from: label(change.from), to: label(change.to) })}
              </small>
            </li>
          );
        })}
      </ul>
    </>
  );
}
