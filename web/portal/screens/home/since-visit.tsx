import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ago, fullTime } from '../../../fields/format.ts';
import { State } from '../../../fields/state.tsx';
import { t } from '../../../language/messages.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { lastVisit } from '../../queries/last-visit.ts';
import { followed } from '../../queries/live.ts';
import { useMemberNames } from '../../queries/member-names.ts';
import { useScreens } from '../../queries/screens.ts';
import { type MovableEntity, recentRows } from '../../queries/waiting.ts';
import { rowKey } from '../rows/row-line.tsx';
import styles from '../shared/page.module.css';
import { changesSince } from './changes.ts';
import homeStyles from './home-page.module.css';

/** Lists what others have changed since the member's last visit on this device. Shows nothing during the first visit. */
export function SinceVisit({ entities, callerId }: { entities: readonly MovableEntity[]; callerId: string }) {
  const since = lastVisit(callerId);
  const portal = usePortal();
  const all = useScreens();
  const read = useQueries({
    queries: entities.map((entity) => ({
      ...recentRows(portal, all, entity),
      ...followed,
      enabled: since !== null && entity.machine.undecided === null,
    })),
  });
  const found = entities.map((entity, i) => ({ entity, rows: read[i]?.data?.rows ?? [] }));
  const changes = since ? changesSince(all, found, since, callerId) : [];
  const names = useMemberNames(changes.flatMap(({ member }) => member ?? []));
  if (!since || read.some(({ isPending }) => isPending)) return null;
  return (
    <section className={styles.section}>
      <h2>
        {t('homeSince')} <small title={fullTime(since)}>{ago(since, new Date())}</small>
      </h2>
      {changes.length === 0 && <p className={styles.soft}>{t('homeNothingChanged')}</p>}
      <ul className={homeStyles.changes}>
        {changes.map(({ entity, row, to, isNew, member, at, path }) => {
          const state = entity.machine.states.find(({ value }) => value === to)?.label ?? to;
          const done = isNew ? t('historyNew', { one: entity.one }) : state;
          const name = member === null ? undefined : names[member];
          const words =
            member === null
              ? done
              : name === undefined
                ? t('historyByMember', { state: done })
                : t('historyBy', { state: done, name });
          return (
            <li key={rowKey(entity, row)}>
              <State machine={entity.machine} state={to} isBare />
              <span>
                {path ? <Link to={path}>{rowName(all, entity, row)}</Link> : rowName(all, entity, row)}
                <small>{words}</small>
              </span>
              <time dateTime={at.toISOString()} title={fullTime(at)}>
                {ago(at, new Date())}
              </time>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
