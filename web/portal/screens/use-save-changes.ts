import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity } from '../../../contract/portal.ts';
import { usePortal } from '../data/client.ts';
import type { Row } from '../data/rest.ts';
import { changeRow, readRow } from '../data/rows.ts';
import { useScreens } from '../data/screens.ts';

/** Fields that the member and another caller have changed: the member's values and the current row. */
export interface ClashOf {
  readonly own: Row;
  readonly now: Row;
}

interface Outcomes {
  onError: (error: Error) => void;
  onSaved: () => void;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the changes of fields whose value has changed since the row was read. */
const clashing = (changes: Row, before: Row, now: Row): Row =>
  Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !isSame(before[name], now[name]) && !isSame(value, now[name])),
  );

/**
 * Saves changes of a row if the stored values are those that were read. Fields that another caller has changed are not
 * overwritten. They become a clash, which the member resolves.
 */
export function useSaveChanges(entity: PortalEntity, row: Row | null, key: Readonly<Record<string, unknown>> | null) {
  const portal = usePortal();
  const all = useScreens();
  const { mutateAsync: change } = useMutation(changeRow(portal, entity));
  const [clash, setClash] = useState<ClashOf | null>(null);
  const [notSaved, setNotSaved] = useState<string | null>(null);
  const saving = useMutation({
    mutationFn: async ({
      changes,
      before,
    }: {
      changes: Row;
      before: Row;
    }): Promise<ClashOf | 'saved' | 'gone' | 'refused'> => {
      if (!key) return 'gone';
      const now = await readRow(portal, all, entity, key);
      if (!now) return 'gone';
      const own = clashing(changes, before, now);
      const free = Object.fromEntries(
        Object.entries(changes).filter(([name, value]) => !(name in own) && !isSame(value, now[name])),
      );
      if (Object.keys(free).length > 0 && !(await change({ key, before: now, changes: free }))) {
        const later = await readRow(portal, all, entity, key);
        const lost = later ? clashing(free, now, later) : {};
        return later && Object.keys(lost).length > 0
          ? { own: { ...own, ...lost }, now: later }
          : later
            ? 'refused'
            : 'gone';
      }
      return Object.keys(own).length === 0 ? 'saved' : { own, now };
    },
  });
  const run = (changes: Row, before: Row, { onError, onSaved }: Outcomes) =>
    saving.mutate(
      { changes, before },
      {
        onError,
        onSuccess: (outcome) => {
          setClash(typeof outcome === 'object' ? outcome : null);
          setNotSaved(
            outcome === 'gone'
              ? `This ${entity.one} is gone, or you may not see it any longer.`
              : outcome === 'refused'
                ? `You may not change this ${entity.one}.`
                : null,
          );
          if (outcome === 'saved') onSaved();
        },
      },
    );
  return {
    clash,
    notSaved,
    isPending: saving.isPending,
    error: saving.error,
    save: (changes: Row, outcomes: Outcomes) => run(changes, row ?? {}, outcomes),
    /** Saves the member's own values of these fields over those of the other callers. */
    resolve: (chosen: ReadonlySet<string>, outcomes: Outcomes) => {
      if (!clash) return;
      const changes = Object.fromEntries(Object.entries(clash.own).filter(([name]) => chosen.has(name)));
      run(changes, clash.now, outcomes);
    },
  };
}
