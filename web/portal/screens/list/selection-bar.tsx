import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { usePortal } from '../../queries/client.ts';
import { removeFilesOf } from '../../queries/files.ts';
import { moveRows, readRows, removeRows, type SharedWay, sharedWays, undoMoves } from '../../queries/many-rows.ts';
import { Refusal } from '../../queries/rest.ts';
import { rowsKey } from '../../queries/rows.ts';
import { useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import { undoDeletion } from '../../queries/undo.ts';
import { useToast } from '../shared/toast.tsx';
import { Trouble } from '../shared/trouble.tsx';
import { saveCsv } from './download.tsx';
import styles from './list-page.module.css';
import type { Selection } from './use-selection.ts';

/** Bar with the actions on the selected rows: transitions, CSV and deletion. */
export function SelectionBar({
  title,
  entity,
  fields,
  selection,
}: {
  title: string;
  entity: PortalEntity;
  /** The fields that are the columns of the CSV. */
  fields: readonly PortalField[];
  selection: Selection;
}) {
  const all = useScreens();
  const [isAsking, setIsAsking] = useState(false);
  const changes = useChanges(entity, selection);
  const { rows } = selection;
  const count = rows.length;
  if (!selection.isOn) return null;
  if (isAsking && count > 0) {
    return (
      <section className={styles.bar} aria-label={t('selection')}>
        <span role="status">{t('deleteManyAsk', { count })}</span>
        <Button kind="danger" small busy={changes.isDeleting && t('deleting')} onClick={changes.remove}>
          {t('delete')}
        </Button>
        <Button small onClick={() => setIsAsking(false)}>
          {t('keep')}
        </Button>
        <Trouble error={changes.error} />
      </section>
    );
  }
  return (
    <section className={styles.bar} aria-label={t('selection')}>
      <b role="status">{t('selected', { count })}</b>
      {changes.ways.map((way) => (
        <Button
          key={way.transition.name}
          small
          busy={changes.moving === way.transition.name && t('working')}
          offBecause={whyOff(way, count)}
          onClick={() => changes.move(way)}
        >
          {way.transition.label}
        </Button>
      ))}
      {count > 0 && (
        <Button small onClick={() => saveCsv(all, entity, fields, title, rows)}>
          {t('downloadCsv')}
        </Button>
      )}
      {count > 0 && entity.access.delete.open && (
        <Button small kind="quiet" onClick={() => setIsAsking(true)}>
          {t('delete')}
        </Button>
      )}
      <Button small kind="quiet" onClick={() => selection.setOn(false)}>
        {t('done')}
      </Button>
      <Trouble error={changes.error} />
    </section>
  );
}

/** Returns why a transition cannot be made for all selected rows; null if it can. */
function whyOff({ ready, incomplete }: SharedWay, count: number): string | null {
  if (ready.length === count) return null;
  return incomplete > 0
    ? t('notCompleteForAll', { count: incomplete })
    : t('notOpenForAll', { count: count - ready.length });
}

/** Returns the transitions that the selected rows share, and the functions that change the rows. */
function useChanges(entity: PortalEntity, selection: Selection) {
  const portal = usePortal();
  const all = useScreens();
  const toast = useToast();
  const { machine } = entity;
  const { rows } = selection;
  const refresh = () => queryClient.invalidateQueries({ queryKey: rowsKey });
  const judged = useQuery({
    queryKey: [...rowsKey, entity.id, 'selected', rows.map((row) => entity.key.map((name) => row[name]))],
    queryFn: () => readRows(portal, all, entity, rows),
    enabled: machine !== null && rows.length > 0,
    placeholderData: (before) => before,
  });
  const moving = useMutation({
    mutationFn: async ({ transition, ready }: SharedWay) => {
      if (!machine) return;
      const count = await moveRows(portal, entity, machine, ready, transition.to);
      const undo = count === ready.length ? await undoMoves(portal, all, { entity, machine }, ready) : undefined;
      toast({
        words: t('movedMany', { count, transition: transition.label }),
        undo: undo && (() => undo().finally(refresh)),
      });
    },
    onSettled: refresh,
  });
  const removing = useMutation({
    mutationFn: async () => {
      const complete = await readRows(portal, all, entity, rows);
      const undo = await undoDeletion(portal, all, entity, complete);
      const count = await removeRows(portal, entity, rows);
      if (count === complete.length) void removeFilesOf(portal, entity, complete);
      if (count === 0) throw new Refusal(403, { message: t('mayNotDeleteMany') });
      toast({ words: t('deletedMany', { count }), undo: count === complete.length ? undo : undefined });
      selection.setOn(false);
    },
    onSettled: refresh,
  });
  return {
    ways: machine && rows.length > 0 ? sharedWays(machine, judged.data ?? []) : [],
    moving: moving.isPending ? moving.variables.transition.name : null,
    isDeleting: removing.isPending,
    error: moving.error ?? removing.error,
    move: (way: SharedWay) => moving.mutate(way),
    remove: () => removing.mutate(),
  };
}
