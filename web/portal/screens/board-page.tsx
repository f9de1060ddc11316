import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueries } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PortalEntity, PortalMachine } from '../../../contract/portal.ts';
import { countWords } from '../../fields/format.ts';
import { State } from '../../fields/state.tsx';
import { currentDirection, t, tNodes } from '../../language/messages.ts';
import { buttonClass } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { usePortal } from '../data/client.ts';
import type { Row, Rows } from '../data/rest.ts';
import { lane } from '../data/rows.ts';
import { formFor, listFor, type Place, readableFields, rowPath, useScreens } from '../data/screens.ts';
import { missingFor, takeTransition, waysOf } from '../data/transitions.ts';
import { undoTransition } from '../data/undo.ts';
import { rowName } from '../fields/value.tsx';
import styles from './board-page.module.css';
import { Card } from './card.tsx';
import { Trouble } from './message.tsx';
import pageStyles from './page.module.css';
import { rowKey } from './row-line.tsx';
import { Shell } from './shell.tsx';
import { useToast } from './toast.tsx';

/** The card that the member has picked up, and the state to which it will move. */
interface Picked {
  readonly row: Row;
  readonly name: string;
  readonly over: string;
}

/**
 * Shows the rows of an entity in one column for each state. Cards can be moved by dragging, by the keyboard and by a
 * menu, but only by a transition that the member may make.
 */
export function BoardPage({ screen, entity }: Place) {
  const { machine } = entity;
  return machine && <Board screen={screen} entity={entity} machine={machine} />;
}

type BoardOf = Pick<Place, 'screen' | 'entity'> & { readonly machine: PortalMachine };

function Board(board: BoardOf) {
  const { screen, entity, machine } = board;
  const portal = usePortal();
  const all = useScreens();
  const [shown, setShown] = useState(machine.initial);
  const lanes = useQueries({
    queries: machine.states.map(({ value }) => ({
      ...lane(portal, all, entity, screen, machine.field, value),
      refetchInterval: 20_000,
    })),
  });
  const moves = useMoves(board);
  const rows = rowsOfLanes(entity, lanes);
  const form = formFor(all, entity);
  const failed = lanes.find(({ error }) => error)?.error ?? moves.error;
  return (
    <Shell title={screen.title}>
      <div className={styles.page}>
        <div className={pageStyles.titlebar}>
          <h1 className={pageStyles.title}>{screen.title}</h1>
          {form && (
            <div className={pageStyles.actions}>
              <Link to={form.route} className={buttonClass({ kind: 'first' })}>
                <Icon of={IconPlus} />
                {form.title}
              </Link>
            </div>
          )}
        </div>
        <Trouble error={failed ?? null} />
        <nav className={styles.lanetabs} aria-label={t('stateShown')}>
          {machine.states.map(({ value }) => (
            <button key={value} type="button" aria-pressed={value === shown} onClick={() => setShown(value)}>
              <State machine={machine} state={value} />
            </button>
          ))}
        </nav>
        <div className={styles.board}>
          {machine.states.map(({ value }, i) => (
            <Lane
              key={value}
              board={board}
              state={value}
              isShown={value === shown}
              loaded={lanes[i]?.data ? { rows: rows[i] ?? [], total: lanes[i].data.total } : null}
              moves={moves}
            />
          ))}
        </div>
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
          {moves.said}
        </p>
      </div>
    </Shell>
  );
}

/**
 * Returns the rows of each lane. The lanes are read by separate requests, so a row that moves in between may be in two
 * of them. Such a row is shown only in the lane that was read last.
 */
function rowsOfLanes(
  entity: PortalEntity,
  lanes: readonly { readonly data?: Rows | undefined; readonly dataUpdatedAt: number }[],
): Row[][] {
  const newest = new Map<string, number>();
  for (const { data, dataUpdatedAt } of lanes) {
    for (const row of data?.rows ?? []) {
      const key = rowKey(entity, row);
      newest.set(key, Math.max(newest.get(key) ?? 0, dataUpdatedAt));
    }
  }
  const shown = new Set<string>();
  return lanes.map(({ data, dataUpdatedAt }) =>
    (data?.rows ?? []).filter((row) => {
      const key = rowKey(entity, row);
      if (newest.get(key) !== dataUpdatedAt || shown.has(key)) return false;
      shown.add(key);
      return true;
    }),
  );
}

type Moves = ReturnType<typeof useMoves>;

/** One column of the board: the rows in a state. Accepts the picked card if a transition leads to this state. */
function Lane({
  board: { screen, entity, machine },
  state,
  isShown,
  loaded,
  moves: { picked, pick, drop, onKey, openFor, wayTo, label },
}: {
  board: BoardOf;
  state: string;
  /** True for the one column that is shown on a phone. */
  isShown: boolean;
  loaded: { readonly rows: readonly Row[]; readonly total: number | null } | null;
  moves: Moves;
}) {
  const all = useScreens();
  const columns = readableFields(entity, screen.columns);
  const rows = loaded?.rows ?? [];
  const list = listFor(all, entity);
  const total = Math.max(loaded?.total ?? 0, rows.length);
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
        isShown && styles.shown,
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
        <span className={styles.count}>{loaded ? countWords(total) : ''}</span>
      </h2>
      {way && <p className={styles.why}>{way.label}</p>}
      <ul>
        {rows.map((row) => (
          <li key={String(row[entity.key[0] ?? ''])}>
            <Card
              entity={entity}
              machine={machine}
              columns={columns}
              row={row}
              path={rowPath(all, entity, row)}
              ways={openFor(row).map(({ transition }) => transition)}
              isPicked={picked?.row === row}
              onPick={() => pick({ row, name: rowName(entity, row), over: state })}
              onPutBack={() => pick(null)}
              onMove={(to) => drop(row, to)}
              onKey={(event) => onKey(event, row)}
            />
          </li>
        ))}
      </ul>
      {total > rows.length && (
        <p className={styles.more}>
          {list ? (
            <Link to={list.route} search={{ [`f.${machine.field}`]: `eq.${state}` } as never}>
              {t('boardMore', { count: countWords(total - rows.length) })}
            </Link>
          ) : (
            t('boardMore', { count: countWords(total - rows.length) })
          )}
        </p>
      )}
    </section>
  );
}

/** Returns the card that is picked up, the functions that move cards, and the sentence that tells screen readers about the last move. */
function useMoves({ entity, machine }: BoardOf) {
  const portal = usePortal();
  const all = useScreens();
  const navigate = useNavigate();
  const toast = useToast();
  const [picked, setPicked] = useState<Picked | null>(null);
  const [said, setSaid] = useState('');
  const taking = useMutation(takeTransition(portal, entity, machine));
  const { states } = machine;
  const openFor = (row: Row) => waysOf(machine, row).filter(({ isOpen }) => isOpen);
  const wayTo = (row: Row, state: string) => openFor(row).find(({ transition }) => transition.to === state)?.transition;
  const label = (state: string) => states.find(({ value }) => value === state)?.label ?? state;
  const drop = (row: Row, state: string) => {
    const name = rowName(entity, row);
    setPicked(null);
    const transition = wayTo(row, state);
    if (!transition || taking.isPending) return;
    const path = rowPath(all, entity, row);
    if (missingFor(transition, row).length > 0) {
      if (path) void navigate({ to: path, search: { take: transition.name } as never });
      return;
    }
    toast(null);
    taking.mutate(
      { row, to: state, values: {} },
      {
        onSuccess: async (isMoved) => {
          setSaid(isMoved ? t('boardIsIn', { name, state: label(state) }) : t('boardMoved', { name }));
          if (!isMoved) return;
          const undo = await undoTransition(portal, all, { entity, machine }, row);
          toast({ words: t('fieldWrong', { label: name, words: `${transition.label}.` }), undo });
        },
      },
    );
  };
  const onKey = (event: React.KeyboardEvent, row: Row) => {
    const targets = openFor(row).map(({ transition }) => transition.to);
    const name = rowName(entity, row);
    if (event.key === ' ' && event.target === event.currentTarget) {
      event.preventDefault();
      if (picked) return picked.over === row[machine.field] ? setPicked(null) : drop(row, picked.over);
      setPicked({ row, name, over: String(row[machine.field]) });
      const where = targets.map(label).join(', ');
      setSaid(targets.length === 0 ? t('boardCannotMove', { name }) : t('boardPicked', { name, states: where }));
    }
    if (picked && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      event.preventDefault();
      const order = states
        .map(({ value }) => value)
        .filter((value) => value === row[machine.field] || targets.includes(value));
      const step = (event.key === 'ArrowRight') === (currentDirection() === 'ltr') ? 1 : -1;
      const over = order[(order.indexOf(picked.over) + step + order.length) % order.length] ?? picked.over;
      setPicked({ ...picked, over });
      setSaid(t('boardOver', { state: label(over) }));
    }
    if (picked && event.key === 'Escape') {
      setPicked(null);
      setSaid(t('boardStays', { name, state: label(String(row[machine.field])) }));
    }
  };
  return { picked, pick: setPicked, said, error: taking.error, openFor, wayTo, label, drop, onKey };
}
