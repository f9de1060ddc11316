import { useMemo } from 'react';
import type { Machine } from '../../../../contract/states.ts';
import { useChapter } from '../../chapters/use-chapter.ts';

/** Returns the state machines of an entity by field; none while the specification is not known. */
export function useMachines(appRef: string, entityId: string): ReadonlyMap<string, Machine> {
  const { chapter } = useChapter(appRef, 'states');
  return useMemo(
    () =>
      new Map(
        chapter?.machines.filter(({ entity }) => entity === entityId).map((machine) => [machine.field, machine]) ?? [],
      ),
    [chapter, entityId],
  );
}
