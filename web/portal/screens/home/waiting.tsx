import { Link } from '@tanstack/react-router';
import { State } from '../../../fields/state.tsx';
import { t } from '../../../language/messages.ts';
import { FieldValue, rowName } from '../../fields/value.tsx';
import type { Row } from '../../queries/rest.ts';
import { listFor, rowPath, useScreens } from '../../queries/screens.ts';
import { type MovableEntity, personFields } from '../../queries/waiting.ts';
import { rowKey } from '../rows/row-line.tsx';
import styles from '../shared/page.module.css';
import { useQuickTransitions } from '../shared/quick-transitions.tsx';
import { sinceOf } from '../shared/state-since.ts';
import { useCaller } from '../shell/gate.tsx';
import homeStyles from './home-page.module.css';

/** Max number of rows of a section. */
const SHOWN = 5;

/** Lists rows that wait, with what can be done with each. */
export function WaitingSection({
  title,
  groups,
}: {
  title: string;
  /** The rows by entity. */
  groups: readonly { readonly entity: MovableEntity; readonly rows: readonly Row[] }[];
}) {
  const all = useScreens();
  const filled = groups.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      {filled.map(({ entity, rows }) => {
        const list = listFor(all, entity);
        return (
          <div key={entity.id}>
            <ul className={homeStyles.waiting} aria-label={`${title}: ${entity.label}`}>
              {rows.slice(0, SHOWN).map((row) => (
                <WaitingLine key={rowKey(entity, row)} entity={entity} row={row} />
              ))}
            </ul>
            {rows.length > SHOWN && list && (
              <p className={homeStyles.more}>
                <Link to={list.route}>{t('homeAll', { count: rows.length, label: entity.label })}</Link>
              </p>
            )}
          </div>
        );
      })}
    </section>
  );
}

/** A row that waits: its name, its state, the other person, and its open transitions as buttons. */
function WaitingLine({ entity, row }: { entity: MovableEntity; row: Row }) {
  const { machine } = entity;
  const all = useScreens();
  const callerId = useCaller()?.user.id;
  const { buttons, outcome } = useQuickTransitions(entity, row);
  const path = rowPath(all, entity, row) ?? '/';
  const other = personFields(all, entity).find(({ name }) => row[name] != null && row[name] !== callerId);
  const since = machine.undecided ? null : sinceOf(row);
  return (
    <li>
      <State machine={machine} state={String(row[machine.field])} isBare />
      <div className={homeStyles.about}>
        <Link to={path} className={homeStyles.name}>
          <bdi>{rowName(all, entity, row)}</bdi>
        </Link>
        <p>
          {machine.states.find(({ value }) => value === row[machine.field])?.label}
          {since !== null && ` ${since}`}
          {other && (
            <>
              {' · '}
              <FieldValue entity={entity} field={other} row={row} />
            </>
          )}
        </p>
        {outcome}
      </div>
      <span className={homeStyles.buttons}>{buttons}</span>
    </li>
  );
}
