import type { PortalEntity, PortalMachine } from '../../../contract/portal.ts';
import { ago, fullTime, timeOf } from '../../fields/format.ts';
import { stateColour } from '../../fields/state.tsx';
import { useMemberNames } from '../data/member-names.ts';
import type { Row } from '../data/rest.ts';
import styles from './detail-page.module.css';
import { useCaller } from './gate.tsx';
import pageStyles from './page.module.css';

/** A state change of a row, from the computed field `passages`. */
interface Passage {
  readonly field: string;
  readonly transition: string | null;
  readonly from: string | null;
  readonly to: string;
  readonly member: string | null;
  readonly at: string;
}

/** Lists the state changes of a row, newest first, with caller and time. */
export function History({ entity, machine, row }: { entity: PortalEntity; machine: PortalMachine; row: Row }) {
  const caller = useCaller();
  const passages = (Array.isArray(row.passages) ? (row.passages as Passage[]) : []).filter(
    ({ field }) => field === machine.field,
  );
  const names = useMemberNames(passages.flatMap(({ member }) => member ?? []));
  if (passages.length === 0) return null;
  const who = ({ member }: Passage) => {
    if (member === null) return '';
    if (member === caller?.user.id) return ' by you';
    return names[member] === undefined ? ' by another member' : ` by ${names[member]}`;
  };
  const label = (state: string | null) => machine.states.find(({ value }) => value === state)?.label ?? state ?? '';
  return (
    <>
      <h2 className={pageStyles.panelHead}>History</h2>
      <ul className={styles.history}>
        {[...passages].reverse().map((passage) => {
          const time = timeOf(passage.at);
          const made = passage.from === null;
          return (
            <li key={passage.at}>
              <i style={{ '--c': `var(--${stateColour(machine, passage.to)})` } as React.CSSProperties} />
              <span>
                {made ? `New ${entity.one}` : label(passage.to)}
                {who(passage)}
              </span>
              {time && (
                <time dateTime={time.toISOString()} title={fullTime(time)}>
                  {ago(time, new Date())}
                </time>
              )}
              <small>{made ? 'The first state' : `${label(passage.from)} to ${label(passage.to)}`}</small>
            </li>
          );
        })}
      </ul>
    </>
  );
}
