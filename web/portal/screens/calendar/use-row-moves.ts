import { useEffect, useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { holdRows } from '../../queries/live.ts';
import { keyOf } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { changeRow, instantOf, rowRights } from '../../queries/rows.ts';
import { fieldIn, useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import { useToast } from '../shared/toast.tsx';
import { hintOf, troubleWords } from '../shared/trouble-words.ts';
import { type Entry, periodOf, spanValues } from './entries.ts';
import type { Period } from './layout.ts';
import type { CalendarOf } from './use-calendar.ts';
import { periodWords } from './words.ts';

/** The reason why a row stays at its time. */
interface RefusedMove {
  readonly id: string;
  readonly words: string;
  readonly hint: string | null;
}

/** The moves of the rows of a calendar. */
export interface RowMoves {
  /** Returns an entry at the time to which the member drags it or has moved it. */
  readonly placed: (entry: Entry) => Entry;
  readonly refused: RefusedMove | null;
  /** A sentence for screen readers about the last move. */
  readonly said: string;
  /** Returns true if the fields with the time of a row may be changed. */
  readonly mayMove: (entry: Entry) => boolean;
  /** Shows an entry at another time while the member moves it; null shows it at its own time. */
  readonly preview: (entry: Entry, period: Period | null) => void;
  /** Stores the time to which the member has moved an entry. */
  readonly drop: (entry: Entry, period: Period) => void;
  readonly say: (words: string) => void;
  readonly dismiss: () => void;
}

const isSame = (a: Period, b: Period): boolean =>
  a.start.getTime() === b.start.getTime() && a.end.getTime() === b.end.getTime();

/** Moves rows to other times. A moved row is at its new time at once, and again at its former one if the server refuses. */
export function useRowMoves({ span }: Pick<CalendarOf, 'span'>, entity: PortalEntity | undefined): RowMoves {
  const portal = usePortal();
  const all = useScreens();
  const toast = useToast();
  const [moved, setMoved] = useState<ReadonlyMap<string, Period>>(new Map());
  const [refused, setRefused] = useState<RefusedMove | null>(null);
  const [said, setSaid] = useState('');
  const isHeld = moved.size > 0;
  useEffect(() => {
    if (!isHeld) return;
    const release = holdRows();
    return () => release();
  }, [isHeld]);
  const place = (id: string, period: Period | null) =>
    setMoved((before) => {
      const next = new Map(before);
      if (period) next.set(id, period);
      else next.delete(id);
      return next;
    });
  const drop = async (entry: Entry, period: Period) => {
    const stored = entity && periodOf(entity, span, entry.row);
    if (!entity || !stored || isSame(stored, period)) return place(entry.id, null);
    toast(null);
    setRefused(null);
    place(entry.id, period);
    const refuse = (words: string, hint: string | null = null) => {
      setRefused({ id: entry.id, words, hint });
      setSaid(words);
    };
    const key = keyOf(entity, entry.row);
    const values = (of: Period): Row =>
      Object.fromEntries(spanValues(entity, span, of).map(([name, time]) => [name, instantOf(entity, name, time)]));
    const before = { [span.start]: entry.row[span.start], [span.end]: entry.row[span.end] };
    const changes = changed(values(stored), values(period));
    const name = rowName(all, entity, entry.row);
    try {
      const rights = await queryClient.fetchQuery(rowRights(portal, entity, key));
      const result = rights.canUpdate ? await changeRow(portal, entity, { key, before, changes }) : 'refused';
      if (result === 'refused') refuse(t('mayNotChange', { one: entity.one }));
      else if (result !== 'saved') refuse(t('boardMoved', { name }));
      else {
        const words = t('calendarIsAt', { when: periodWords(period, entry.isInBand) });
        const back = Object.fromEntries(Object.keys(changes).map((one) => [one, before[one]]));
        const undo = async () => {
          const undone = await changeRow(portal, entity, { key, before: changes, changes: back });
          if (undone !== 'saved') throw new Error('The row has changed.');
        };
        setSaid(words);
        toast({ words, undo });
      }
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const words = troubleWords(failure);
      const hint = hintOf(failure);
      refuse(words, hint === words ? null : hint);
    } finally {
      place(entry.id, null);
    }
  };
  const mayWrite = (name: string) => entity !== undefined && fieldIn(entity, name)?.updatable === true;
  return {
    ...{ refused, said },
    placed: (entry) => ({ ...entry, ...moved.get(entry.id) }),
    mayMove: ({ kind, row }) =>
      kind === 'row' &&
      entity?.access.update.open === true &&
      entity.key.length > 0 &&
      mayWrite(span.start) &&
      mayWrite(span.end) &&
      row[span.end] != null,
    preview: (entry, period) => place(entry.id, period),
    drop: (entry, period) => void drop(entry, period),
    say: setSaid,
    dismiss: () => setRefused(null),
  };
}

/** Returns the values that differ. */
const changed = (before: Row, after: Row): Row =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value));
