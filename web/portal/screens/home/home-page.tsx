import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import type { PortalAction, PortalScreen, PortalScreens } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { usePortal } from '../../queries/client.ts';
import { followed } from '../../queries/live.ts';
import { list } from '../../queries/row-pages.ts';
import { entityIn, formFor, openedEntity, readableFields, shownScreens, useScreens } from '../../queries/screens.ts';
import { movableEntities, unfinishedRows, type WaitingRow, waitingRows } from '../../queries/waiting.ts';
import { RowsTable } from '../rows/rows-table.tsx';
import { ActionButtons, useActionRun } from '../shared/actions.tsx';
import { NewLink } from '../shared/new-link.tsx';
import styles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import { Shell } from '../shell/shell.tsx';
import homeStyles from './home-page.module.css';
import { SinceVisit } from './since-visit.tsx';
import { WaitingSection } from './waiting.tsx';

/** Number of rows of the first list that the home page shows. */
const FIRST_ROWS = 5;

/** Max number of functions that the home page offers. */
const ACTIONS = 2;

/**
 * Home page: the rows that wait for the member, and what others have changed since the last visit. An app without state
 * machines shows the first rows of its first list.
 */
export function HomePage() {
  const { app } = usePortal();
  const caller = useCaller();
  const all = useScreens();
  const waiting = useWaiting();
  const run = useActionRun();
  if (all.home !== null) return <Navigate to={all.home} replace />;
  const shown = shownScreens(all);
  const first = shown.find(({ kind }) => kind === 'list');
  const forms = shown.flatMap((screen) => newForm(all, screen) ?? []);
  const form = forms.find((one) => waiting.entities.some(({ id }) => id === one.entity)) ?? forms[0];
  const actions = homeActions(shown);
  const isEmpty = !waiting.isPending && found(waiting).length === 0;
  return (
    <Shell title={t('home')} isFollowed={first !== undefined || waiting.entities.length > 0}>
      <div className={styles.titlebar}>
        <div>
          <h1 className={styles.title}>{caller ? t('homeQuestion') : app.name}</h1>
          <p className={styles.answer}>
            {!caller || waiting.entities.length === 0
              ? (app.purpose ?? (caller ? t('signedInTo', { app: app.name }) : ''))
              : waiting.isPending
                ? ''
                : answerOf(waiting)}
          </p>
        </div>
        <div className={styles.actions}>
          {form && <NewLink form={form} isFirst={actions.length === 0} />}
          <ActionButtons actions={actions} run={run} isFirst />
        </div>
      </div>
      {run.panel}
      <div className={caller && waiting.entities.length > 0 ? homeStyles.grid : undefined}>
        <div>
          <Trouble error={waiting.error} />
          <WaitingSection title={t('homeOwn')} groups={waiting.of('own')} />
          <WaitingSection title={t('homeTeam')} groups={waiting.of('team')} />
          <WaitingSection title={t('homeUnderway')} groups={waiting.of('underway')} />
          {first && isEmpty && <FirstList screen={first} />}
        </div>
        {caller && waiting.entities.length > 0 && <SinceVisit entities={waiting.entities} callerId={caller.user.id} />}
      </div>
    </Shell>
  );
}

/** Returns the functions of the lists of the navigation, the first of which is the main button of the page. */
function homeActions(shown: readonly PortalScreen[]): PortalAction[] {
  const lists = shown.filter(({ kind }) => kind === 'list' || kind === 'gallery' || kind === 'board');
  const found = new Map<string, PortalAction>();
  for (const action of lists.flatMap(({ actions }) => actions)) {
    if (action.row === null) found.set(`${action.schema} ${action.name}`, action);
  }
  return [...found.values()].slice(0, ACTIONS);
}

/** Returns all rows that the home page lists. */
const found = ({ own, team, underway }: ReturnType<typeof useWaiting>) => [...own, ...team, ...underway];

/** Says how many rows wait for the member. */
const answerOf = ({ own, team }: Pick<ReturnType<typeof useWaiting>, 'own' | 'team'>): string =>
  own.length + team.length === 0
    ? t('homeNothing')
    : [
        own.length > 0 ? t('homeOwnCount', { count: own.length }) : '',
        team.length > 0 ? t('homeTeamCount', { count: team.length }) : '',
      ]
        .filter(Boolean)
        .join(' ');

/** Returns the form that a screen of the navigation offers: the form of its list, or itself. */
function newForm(all: PortalScreens, { kind, entity: id, route }: PortalScreen): PortalScreen | undefined {
  const entity = entityIn(all, id);
  if (!entity) return undefined;
  if (kind === 'form') return entity.access.insert.open ? all.screens.find((one) => one.route === route) : undefined;
  return kind === 'list' ? formFor(all, openedEntity(all, entity)) : undefined;
}

/** Reads the rows that wait for the caller: the caller's own, and those that no member has taken. */
function useWaiting() {
  const portal = usePortal();
  const all = useScreens();
  const callerId = useCaller()?.user.id ?? null;
  const entities = callerId === null ? [] : movableEntities(all);
  const read = useQueries({
    queries: entities.map((entity) => ({ ...unfinishedRows(portal, all, entity), ...followed })),
  });
  const groups = entities.map((entity, i) => ({
    entity,
    rows: waitingRows(all, entity, read[i]?.data?.rows ?? [], callerId),
  }));
  const of = (kind: WaitingRow['kind']) =>
    groups.map(({ entity, rows }) => ({
      entity,
      rows: rows.filter((one) => one.kind === kind).map(({ row }) => row),
    }));
  return {
    ...{ entities, of },
    own: of('own').flatMap(({ rows }) => rows),
    team: of('team').flatMap(({ rows }) => rows),
    underway: of('underway').flatMap(({ rows }) => rows),
    isPending: read.some(({ isPending }) => isPending),
    error: read.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Shows the first rows of a list. */
function FirstList({ screen }: { screen: PortalScreen }) {
  const portal = usePortal();
  const all = useScreens();
  const entity = entityIn(all, screen.entity);
  const query = { filter: screen.filter, order: screen.order, conditions: {}, search: '' };
  const columns = screen.columns.slice(0, 5);
  const { data } = useInfiniteQuery({
    ...list(portal, all, { entity: entity as never, columns, query }),
    ...followed,
    enabled: entity !== undefined,
  });
  if (!entity) return null;
  const rows = (data?.pages[0]?.rows ?? []).slice(0, FIRST_ROWS);
  const form = formFor(all, openedEntity(all, entity));
  return (
    <section className={styles.section}>
      <h2>
        <Link to={screen.route}>{screen.title}</Link>
      </h2>
      {data && rows.length === 0 ? (
        <p className={styles.soft}>
          {t('nothingYetDot')} {form && <Link to={form.route}>{form.title}</Link>}
        </p>
      ) : (
        <RowsTable
          label={screen.title}
          entity={entity}
          columns={readableFields(entity, columns)}
          rows={rows}
          isLoading={!data}
        />
      )}
    </section>
  );
}
