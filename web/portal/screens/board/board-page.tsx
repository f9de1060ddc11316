import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { countWords } from '../../../fields/format.ts';
import { State } from '../../../fields/state.tsx';
import { t, tNodes } from '../../../language/messages.ts';
import { usePortal } from '../../queries/client.ts';
import { followed } from '../../queries/live.ts';
import { PAGE_ROWS } from '../../queries/query.ts';
import type { Row, Rows } from '../../queries/rest.ts';
import { lane } from '../../queries/rows.ts';
import { formFor, type Place, useScreens } from '../../queries/screens.ts';
import { isLeftOut } from '../list/list-search.ts';
import { rowKey } from '../rows/row-line.tsx';
import { keysOf, useArrivals } from '../rows/use-arrivals.ts';
import { ActionButtons, useActionRun, useRowActions } from '../shared/actions.tsx';
import { NewLink } from '../shared/new-link.tsx';
import pageStyles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { Shell } from '../shell/shell.tsx';
import styles from './board-page.module.css';
import { type BoardOf, Lane, NarrowLane } from './lane.tsx';
import { type Placed, useMoves } from './use-moves.ts';

/**
 * Shows the rows of an entity in one column for each state. Cards can be moved by dragging, by the keyboard and by a
 * menu, but only by a transition that the member may make.
 */
export function BoardPage({ screen, entity }: Place) {
  const { machine } = entity;
  return machine && <Board screen={screen} entity={entity} machine={machine} />;
}

function Board(board: BoardOf) {
  const { screen, entity, machine } = board;
  const portal = usePortal();
  const all = useScreens();
  const [shown, setShown] = useState(machine.initial);
  const states = machine.states.map(({ value }) => ({
    value,
    isNarrow: isLeftOut(screen.filter, machine.field, value),
  }));
  const wide = states.filter(({ isNarrow }) => !isNarrow);
  const lanes = useQueries({
    queries: wide.map(({ value }) => ({
      ...lane(portal, all, entity, screen, machine.field, value),
      ...followed,
    })),
  });
  const moves = useMoves(board);
  const placed = notRead(moves.placed, wide, lanes);
  const rows = rowsOfLanes(entity, wide, lanes, placed);
  const read = lanes.flatMap(({ data }, i) => (data ? [[i, data.rows] as const] : []));
  const arrived = useArrivals(screen.route, keysOf(entity, new Map(read)), PAGE_ROWS);
  const form = formFor(all, entity);
  const run = useActionRun(entity);
  const actions = useRowActions(screen, run.begin);
  const isEmpty = read.length === wide.length && rows.every((one) => one.length === 0);
  const failed = lanes.find(({ error }) => error)?.error ?? null;
  return (
    <Shell title={screen.title} isFollowed={failed === null}>
      <div className={styles.page}>
        <div className={pageStyles.titlebar}>
          <h1 className={pageStyles.title}>{screen.title}</h1>
          <div className={pageStyles.actions}>
            {form && (
              <span className={pageStyles.inBar}>
                <NewLink form={form} isFirst={!screen.actions.some(({ row }) => row === null)} />
              </span>
            )}
            <ActionButtons actions={screen.actions} run={run} isFirst />
          </div>
        </div>
        {run.panel}
        {screen.empty !== null && isEmpty && <p className={pageStyles.answer}>{screen.empty}</p>}
        <Trouble error={failed ?? moves.error} />
        <nav className={styles.lanetabs} aria-label={t('stateShown')}>
          {wide.map(({ value }, i) => (
            <button key={value} type="button" aria-pressed={value === shown} onClick={() => setShown(value)}>
              <State machine={machine} state={value} />
              <span className={styles.count}>
                {lanes[i]?.data?.total == null ? '' : countWords(lanes[i].data.total)}
              </span>
            </button>
          ))}
        </nav>
        <div className={styles.board}>
          {states.map(({ value, isNarrow }) => {
            if (isNarrow) return <NarrowLane key={value} board={board} state={value} moves={moves} />;
            const i = wide.findIndex((one) => one.value === value);
            const total = lanes[i]?.data?.total ?? null;
            return (
              <Lane
                key={value}
                board={board}
                state={value}
                isShown={value === shown}
                loaded={lanes[i]?.data ? { rows: rows[i] ?? [], total } : null}
                arrived={arrived}
                placed={placed}
                moves={moves}
                actions={actions}
              />
            );
          })}
        </div>
        <Hint entity={entity} said={moves.said} />
      </div>
    </Shell>
  );
}

/** The keys of the board, and the sentence that announces the last move to screen readers. */
const Hint = ({ entity, said }: { entity: PortalEntity; said: string }) => (
  <>
    <p className={styles.hint}>
      <span>
        {tNodes('boardHint', {
          space: <kbd>{t('keySpace')}</kbd>,
          arrows: <kbd>{t('keyArrows')}</kbd>,
          esc: <kbd>{t('keyEsc')}</kbd>,
        })}
      </span>
      <span>{t('boardLights', { one: entity.one })}</span>
    </p>
    <p role="status" className="sr">
      {said}
    </p>
  </>
);

type LaneRead = { readonly data?: Rows | undefined; readonly dataUpdatedAt: number };

/** Returns the moved rows whose new lane was not read since. */
const notRead = (placed: Placed, wide: readonly { readonly value: string }[], lanes: readonly LaneRead[]): Placed =>
  new Map(
    [...placed].filter(([, { to, movedAt }]) => {
      const readAt = lanes[wide.findIndex(({ value }) => value === to)]?.dataUpdatedAt;
      return movedAt === null || (readAt !== undefined && readAt <= movedAt);
    }),
  );

/**
 * Returns the rows of each lane. The lanes are read by separate requests, so a row that moves in between may be in two
 * of them. Such a row is shown only in the lane that was read last. A row that the member has just moved is shown in the
 * lane to which it was moved.
 */
function rowsOfLanes(
  entity: PortalEntity,
  wide: readonly { readonly value: string }[],
  lanes: readonly LaneRead[],
  placed: Placed,
): Row[][] {
  const newest = new Map<string, number>();
  for (const { data, dataUpdatedAt } of lanes) {
    for (const row of data?.rows ?? []) {
      const key = rowKey(entity, row);
      newest.set(key, Math.max(newest.get(key) ?? 0, dataUpdatedAt));
    }
  }
  const shown = new Set<string>(placed.keys());
  return lanes.map(({ data, dataUpdatedAt }, i) => {
    const moved = [...placed.values()].filter(({ to }) => to === wide[i]?.value);
    const read = (data?.rows ?? []).filter((row) => {
      const key = rowKey(entity, row);
      if (newest.get(key) !== dataUpdatedAt || shown.has(key)) return false;
      shown.add(key);
      return true;
    });
    return [...moved.map(({ row }) => row), ...read];
  });
}
