import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity, PortalScreens } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { type Portal, usePortal } from '../../queries/client.ts';
import type { Row } from '../../queries/rest.ts';
import { changeRow, comparedInAddress, readRow } from '../../queries/rows.ts';
import { useScreens } from '../../queries/screens.ts';

/** Fields that both the member and another caller have changed: the member's values, and the row as it is stored now. */
export interface ClashOf {
  readonly own: Row;
  readonly now: Row;
  /** True if other changes of the member are saved. */
  readonly hasSaved: boolean;
}

interface Outcomes {
  onError: (error: Error) => void;
  onSaved: () => void;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const without = (row: Row, names: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !Object.hasOwn(names, name)));

type Outcome = ClashOf | 'saved' | 'gone' | 'refused';

/**
 * Saves changes of a row. A field that another caller has changed in the meantime is not overwritten: it is returned,
 * and the other fields are saved.
 * @param before The values that the member had read.
 */
async function saveChanges(
  { portal, all, entity }: { portal: Portal; all: PortalScreens; entity: PortalEntity },
  key: Readonly<Record<string, unknown>>,
  changes: Row,
  before: Row,
): Promise<Outcome> {
  const read = () => readRow(portal, all, entity, key);
  const compared = comparedInAddress(entity, changes, before);
  let own: Row = {};
  let left = changes;
  const lose = (stored: Row) => {
    const lost = Object.entries(left).filter(
      ([name, value]) => Object.hasOwn(stored, name) && !isSame(value, stored[name]),
    );
    own = { ...own, ...Object.fromEntries(lost) };
    left = without(left, stored);
  };
  if (compared.size < Object.keys(changes).length) {
    const now = await read();
    if (!now) return 'gone';
    const others = Object.keys(changes).filter((name) => !compared.has(name) && !isSame(before[name], now[name]));
    lose(Object.fromEntries(others.map((name) => [name, now[name]])));
  }
  while (Object.keys(left).length > 0) {
    const result = await changeRow(portal, entity, { key, before, changes: left });
    if (result === 'refused') return (await read()) ? 'refused' : 'gone';
    if (result === 'saved') break;
    lose(result);
  }
  if (Object.keys(own).length === 0) return 'saved';
  const now = await read();
  return now ? { own, now, hasSaved: Object.keys(left).length > 0 } : 'gone';
}

/**
 * Returns functions that save changes of a row if the stored values are still those that were read. A field that
 * another caller has changed in the meantime becomes a clash, which the member resolves.
 */
export function useSaveChanges(entity: PortalEntity, row: Row | null, key: Readonly<Record<string, unknown>> | null) {
  const portal = usePortal();
  const all = useScreens();
  const [clash, setClash] = useState<ClashOf | null>(null);
  const [notSaved, setNotSaved] = useState<string | null>(null);
  const saving = useMutation({
    mutationFn: async ({ changes, before }: { changes: Row; before: Row }): Promise<Outcome> =>
      key ? saveChanges({ portal, all, entity }, key, changes, before) : 'gone',
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
              ? t('goneOrHidden', { one: entity.one })
              : outcome === 'refused'
                ? t('mayNotChange', { one: entity.one })
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
    /** Saves the member's own values of the chosen fields, and so overwrites the values of the other callers. */
    resolve: (chosen: ReadonlySet<string>, outcomes: Outcomes) => {
      if (!clash) return;
      const changes = Object.fromEntries(Object.entries(clash.own).filter(([name]) => chosen.has(name)));
      run(changes, clash.now, outcomes);
    },
  };
}
