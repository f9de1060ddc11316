import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { PortalEntity, PortalMachine, PortalTransition } from '../../../../contract/portal.ts';
import { currentDirection, t } from '../../../language/messages.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { holdRows } from '../../queries/live.ts';
import type { Row } from '../../queries/rest.ts';
import { rowsKey } from '../../queries/rows.ts';
import { rowPath, useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import { type Move, missingFor, moveRow, waysOf } from '../../queries/transitions.ts';
import { undoTransition } from '../../queries/undo.ts';
import { rowKey } from '../rows/row-line.tsx';
import { useToast } from '../shared/toast.tsx';

/** The card that the member has picked up, and the state to which it will move. */
interface Picked {
  readonly row: Row;
  readonly name: string;
  readonly over: string;
}

/**
 * The rows that were moved, with their new states, by their keys. `movedAt` is the time of the response; null until the
 * server has responded.
 */
export type Placed = ReadonlyMap<string, { readonly row: Row; readonly to: string; readonly movedAt: number | null }>;

/** The moves of the cards of a board. */
export interface Moves {
  readonly picked: Picked | null;
  readonly placed: Placed;
  /** A sentence for screen readers about the last move. */
  readonly said: string;
  readonly error: Error | null;
  readonly label: (state: string) => string;
  /** Returns the transitions of a row that the member may make now. */
  readonly openFor: (row: Row) => readonly PortalTransition[];
  readonly wayTo: (row: Row, state: string) => PortalTransition | undefined;
  readonly pick: (picked: Picked | null) => void;
  readonly drop: (row: Row, state: string) => void;
  readonly onKey: (event: React.KeyboardEvent<HTMLElement>, row: Row) => void;
  /** Gives the focus to the card that was moved by the keyboard, as soon as it is drawn in its new column. */
  readonly focusMoved: (key: string, card: HTMLElement | null) => void;
}

/** Moves the cards of a board, by the pointer, by the keyboard and by a menu. */
export function useMoves({ entity, machine }: { entity: PortalEntity; machine: PortalMachine }): Moves {
  const [picked, setPicked] = useState<Picked | null>(null);
  const [said, setSaid] = useState('');
  const wanted = useRef<string | null>(null);
  // Reading rows could remove the card that the member holds.
  const isPicked = picked !== null;
  const all = useScreens();
  useEffect(() => {
    if (!isPicked) return;
    const release = holdRows();
    return () => release();
  }, [isPicked]);
  const { states } = machine;
  const label = (state: string) => states.find(({ value }) => value === state)?.label ?? state;
  const openFor = (row: Row) => waysOf(machine, row).flatMap(({ isOpen, transition }) => (isOpen ? [transition] : []));
  const wayTo = (row: Row, state: string) => openFor(row).find(({ to }) => to === state);
  const { placed, error, move } = usePlacedRows({ entity, machine }, label, setSaid);
  const drop = (row: Row, state: string) => {
    setPicked(null);
    const transition = wayTo(row, state);
    if (transition) move(row, transition);
  };
  const onKey = (event: React.KeyboardEvent<HTMLElement>, row: Row) => {
    if (event.target !== event.currentTarget) return;
    const name = rowName(all, entity, row);
    const present = String(row[machine.field]);
    if (event.key === ' ') {
      event.preventDefault();
      if (!picked) {
        const targets = openFor(row).map(({ to }) => label(to));
        setPicked({ row, name, over: present });
        setSaid(
          targets.length === 0
            ? t('boardCannotMove', { name })
            : t('boardPicked', { name, states: targets.join(', ') }),
        );
      } else if (picked.over === present) {
        setPicked(null);
        setSaid(t('boardStays', { name, state: label(present) }));
      } else {
        wanted.current = rowKey(entity, row);
        drop(row, picked.over);
      }
    } else if (picked && event.key === 'Escape') {
      setPicked(null);
      setSaid(t('boardStays', { name, state: label(present) }));
    } else if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      const isAlong = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
      const step = (event.key === 'ArrowRight') === (currentDirection() === 'ltr') ? 1 : -1;
      if (!picked) focusNeighbour(event.currentTarget, isAlong ? step : 0, event.key === 'ArrowDown' ? 1 : -1);
      else if (isAlong) {
        const targets = new Set([present, ...openFor(row).map(({ to }) => to)]);
        const order = states.map(({ value }) => value).filter((value) => targets.has(value));
        const over = order[(order.indexOf(picked.over) + step + order.length) % order.length] ?? picked.over;
        setPicked({ ...picked, over });
        setSaid(t('boardOver', { state: label(over) }));
      }
    }
  };
  const focusMoved = (key: string, card: HTMLElement | null) => {
    if (!card || wanted.current !== key) return;
    wanted.current = null;
    card.focus();
  };
  return { picked, placed, said, error, label, openFor, wayTo, pick: setPicked, drop, onKey, focusMoved };
}

/** Moves the focus to the card in the same column before or after a card, or to a card of the next column that has one. */
function focusNeighbour(card: HTMLElement, columns: number, rows: number): void {
  const lane = card.closest('section');
  const cardsOf = (section: Element | null | undefined) => [...(section?.querySelectorAll('article') ?? [])];
  const place = cardsOf(lane).indexOf(card);
  if (columns === 0) {
    cardsOf(lane)[place + rows]?.focus();
    return;
  }
  const lanes = [...(lane?.parentElement?.querySelectorAll('section') ?? [])];
  for (let i = lanes.indexOf(lane as HTMLElement) + columns; i >= 0 && i < lanes.length; i += columns) {
    const cards = cardsOf(lanes[i]);
    const next = cards[Math.min(place, cards.length - 1)];
    if (next) {
      next.focus();
      return;
    }
  }
}

/**
 * Makes transitions of rows. A moved row is in its new column at once, and again in its former one if the server refuses.
 * Until the row was read again in its new column, it cannot be moved once more.
 */
function usePlacedRows(
  of: { entity: PortalEntity; machine: PortalMachine },
  label: (state: string) => string,
  onSaid: (words: string) => void,
) {
  const { entity, machine } = of;
  const portal = usePortal();
  const all = useScreens();
  const navigate = useNavigate();
  const toast = useToast();
  const [placed, setPlaced] = useState<Placed>(new Map());
  const place = (row: Row, to: string | null, movedAt: number | null = null) =>
    setPlaced((before) => {
      const next = new Map(before);
      if (to === null) next.delete(rowKey(entity, row));
      else next.set(rowKey(entity, row), { row, to, movedAt });
      return next;
    });
  const taking = useMutation({ mutationFn: (move: Move) => moveRow(portal, entity, machine, move) });
  const move = async (row: Row, transition: PortalTransition) => {
    const name = rowName(all, entity, row);
    const path = rowPath(all, entity, row);
    if (placed.get(rowKey(entity, row))?.movedAt === null) return;
    if (missingFor(transition, row).length > 0) {
      if (path) void navigate({ to: path, search: { take: transition.name } as never });
      return;
    }
    toast(null);
    place(row, transition.to);
    try {
      const result = await taking.mutateAsync({ row, to: transition.to, values: {} });
      const isMoved = result === 'moved';
      place(row, isMoved ? transition.to : null, Date.now());
      const refusal = result === 'changed' ? t('boardMoved', { name }) : t('ruleRefuses');
      onSaid(isMoved ? t('boardIsIn', { name, state: label(transition.to) }) : refusal);
      if (!isMoved) toast({ words: refusal, undo: undefined });
      const read = queryClient.invalidateQueries({ queryKey: rowsKey });
      // The move is done. If the way back cannot be read, the page does not offer it.
      const undo = isMoved ? await undoTransition(portal, all, of, row).catch(() => undefined) : undefined;
      if (isMoved) toast({ words: t('fieldWrong', { label: name, words: `${transition.label}.` }), undo });
      await read;
    } catch {
      // The page shows the error of the mutation.
      place(row, null);
    }
  };
  return { placed, error: taking.error, move: (row: Row, way: PortalTransition) => void move(row, way) };
}
