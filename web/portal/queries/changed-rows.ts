import { useSyncExternalStore } from 'react';
import type { Row } from './rest.ts';
import { queryClient } from './session.ts';

/** How long a row that another member changed is marked. */
const MARKED_MILLISECONDS = 8000;
/** Time after a change by this page in which changed rows are not marked, because they are the member's own. */
const OWN_MILLISECONDS = 2000;

let marked: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
let ownAt = Number.NEGATIVE_INFINITY;

queryClient.getMutationCache().subscribe(({ type }) => {
  if (type === 'updated') ownAt = performance.now();
});

function setMarked(next: ReadonlySet<string>): void {
  marked = next;
  for (const listener of listeners) listener();
}

/** Returns the text by which a row is marked: its values. */
const markOf = (row: Row): string => JSON.stringify(row);

/**
 * Marks the rows that differ from the rows that were shown.
 * @returns true if rows were added or removed
 */
export function markChanged(before: readonly Row[], after: readonly Row[]): boolean {
  const known = new Set(before.map(markOf));
  const changed = after.filter((row) => !known.has(markOf(row)));
  const isMoved = before.length !== after.length || changed.length > 0;
  const isOwn = performance.now() - ownAt < OWN_MILLISECONDS || queryClient.isMutating() > 0;
  if (changed.length === 0 || isOwn || before.length === 0) return isMoved;
  const marks = changed.map(markOf);
  setMarked(new Set([...marked, ...marks]));
  setTimeout(() => {
    const gone = new Set(marks);
    setMarked(new Set([...marked].filter((mark) => !gone.has(mark))));
  }, MARKED_MILLISECONDS);
  return isMoved;
}

/** Returns true while a row is marked, because another member has just changed it. */
export function useIsChanged(row: Row): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => marked.size > 0 && marked.has(markOf(row)),
  );
}
