import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PortalMachine } from '../../../../contract/portal.ts';
import { countWords } from '../../../fields/format.ts';
import { State } from '../../../fields/state.tsx';
import { t } from '../../../language/messages.ts';
import { classNames } from '../../../ui/class-names.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import type { Row } from '../../queries/rest.ts';
import { count } from '../../queries/rows.ts';
import { listFor, type Place, readableFields, rowPath, useScreens } from '../../queries/screens.ts';
import { rowKey } from '../rows/row-line.tsx';
import type { RowActions } from '../shared/actions.tsx';
import styles from './board-page.module.css';
import { Card } from './card.tsx';
import type { Moves, Placed } from './use-moves.ts';

/** A board: its screen, its entity and the state machine of the entity. */
export type BoardOf = Pick<Place, 'screen' | 'entity'> & { readonly machine: PortalMachine };

interface LaneProps {
  board: BoardOf;
  state: string;
  moves: Moves;
}

/** One column of the board: the rows in a state. */
export function Lane({
  loaded,
  isShown,
  arrived,
  placed,
  actions,
  ...props
}: LaneProps & {
  /** The moved rows that were not read again since. */
  placed: Placed;
  /** True for the one column that is shown on a phone. */
  isShown: boolean;
  loaded: { readonly rows: readonly Row[]; readonly total: number | null } | null;
  /** Keys of the rows that were added while the member looks. */
  arrived: ReadonlySet<string>;
  /** The functions that take a row; null if there are none. */
  actions: RowActions | null;
}) {
  const { board, state, moves } = props;
  const { screen, entity, machine } = board;
  const { picked } = moves;
  const all = useScreens();
  const columns = readableFields(entity, screen.columns);
  const rows = loaded?.rows ?? [];
  const total = Math.max(loaded?.total ?? 0, rows.length);
  return (
    <LaneFrame {...props} count={loaded ? countWords(total) : ''} className={isShown ? styles.shown : undefined}>
      <ul aria-busy={loaded === null}>
        {loaded === null && [1, 2].map((place) => <li key={place} className={styles.waits} />)}
        {rows.map((row) => {
          const key = rowKey(entity, row);
          return (
            <li key={key}>
              <Card
                entity={entity}
                machine={machine}
                columns={columns}
                row={row}
                path={rowPath(all, entity, row)}
                ways={placed.has(key) ? [] : moves.openFor(row)}
                isPicked={picked !== null && rowKey(entity, picked.row) === key}
                isNew={arrived.has(key)}
                actions={actions}
                onPick={() => moves.pick({ row, name: rowName(all, entity, row), over: state })}
                onPutBack={() => moves.pick(null)}
                onMove={(to) => moves.drop(row, to)}
                onKey={(event) => moves.onKey(event, row)}
                onDrawn={(card) => moves.focusMoved(key, card)}
              />
            </li>
          );
        })}
      </ul>
      {total > rows.length && (
        <p className={styles.more}>
          <ToList entity={entity} machine={machine} state={state}>
            {t('boardMore', { count: countWords(total - rows.length) })}
          </ToList>
        </p>
      )}
    </LaneFrame>
  );
}

/** Column of a state that the filter of the screen leaves out: the number of its rows, and a link to them. */
export function NarrowLane(props: LaneProps) {
  const { screen, entity, machine } = props.board;
  const portal = usePortal();
  const all = useScreens();
  const others = new URLSearchParams(screen.filter ?? '');
  others.delete(machine.field);
  const conditions = { [machine.field]: `eq.${props.state}` };
  const { data } = useQuery(
    count(portal, all, entity, { filter: others.toString(), order: null, conditions, search: '' }),
  );
  return (
    <LaneFrame {...props} count={data == null ? '' : countWords(data)} className={styles.narrow}>
      <p className={styles.more}>
        <ToList entity={entity} machine={machine} state={props.state}>
          {t('boardInList')}
        </ToList>
      </p>
    </LaneFrame>
  );
}

/** Frame of a column with its state. Accepts the picked card if a transition leads to this state. */
function LaneFrame({
  board: { machine },
  state,
  moves: { picked, pick, drop, wayTo, label },
  count: shownCount,
  className,
  children,
}: LaneProps & { count: string; className: string | undefined; children: ReactNode }) {
  const isHome = picked?.row[machine.field] === state;
  const way = picked !== null && !isHome ? wayTo(picked.row, state) : undefined;
  return (
    <section
      aria-label={label(state)}
      className={classNames(
        styles.lane,
        way && styles.can,
        picked !== null && !way && !isHome && styles.cannot,
        way && picked?.over === state && styles.over,
        className,
      )}
      onDragOver={(event) => {
        if (!way || !picked) return;
        event.preventDefault();
        if (picked.over !== state) pick({ ...picked, over: state });
      }}
      onDrop={(event) => {
        event.preventDefault();
        if (picked) drop(picked.row, state);
      }}
    >
      <h2>
        <State machine={machine} state={state} />
        <span className={styles.count}>{shownCount}</span>
      </h2>
      {way && <p className={styles.why}>{way.label}</p>}
      {children}
    </section>
  );
}

/** Links to the list with the rows in a state, if the member has such a list. */
function ToList({
  entity,
  machine,
  state,
  children,
}: Pick<BoardOf, 'entity' | 'machine'> & { state: string; children: string }) {
  const list = listFor(useScreens(), entity);
  return list ? (
    <Link to={list.route} search={{ [`f.${machine.field}`]: `eq.${state}` } as never}>
      {children}
    </Link>
  ) : (
    children
  );
}
