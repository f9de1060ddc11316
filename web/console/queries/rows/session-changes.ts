import { useSyncExternalStore } from 'react';
import type { Table } from './rest-call.ts';
import type { Row } from './row.ts';

/** A row of a change, with the values before and after it. */
export interface ChangedRow {
  readonly key: readonly string[];
  /** The values of the changed fields. For an inserted or deleted row, the values of all fields. */
  readonly before: Row | null;
  readonly after: Row | null;
}

/** A change that the builder has made on the Data page since the console was opened: of one row, or of several rows at once. */
export interface SessionChange {
  readonly id: number;
  /** The entity, and the caller who made the change. */
  readonly table: Table;
  readonly kind: 'update' | 'state' | 'insert' | 'delete';
  readonly rows: readonly ChangedRow[];
  /** The changed field, transition or row: "subject of 12", "7: solve", "Inserted row 12", "priority of 50 rows". */
  readonly what: string;
  /** The old and the new value in words, for example "normal to high". Empty if no values are shown. */
  readonly how: string;
  /** Time of the change, in milliseconds since 1970. */
  readonly at: number;
}

const MAX_CHANGES = 100;
const none: readonly SessionChange[] = [];
const changes = new Map<string, readonly SessionChange[]>();
const listeners = new Set<() => void>();
let lastId = 0;

function set(ref: string, next: readonly SessionChange[]): void {
  changes.set(ref, next);
  for (const listener of listeners) listener();
}

/**
 * Adds a change to the list of its app. The list is only in the memory of this page and never stored, because it
 * contains values of rows.
 */
export function recordChange(change: Omit<SessionChange, 'id' | 'at'>): void {
  const { ref } = change.table;
  lastId += 1;
  set(ref, [{ ...change, id: lastId, at: Date.now() }, ...(changes.get(ref) ?? none)].slice(0, MAX_CHANGES));
}

/** Removes a change from the list after it was undone. */
export const dropChange = ({ id, table: { ref } }: SessionChange): void =>
  set(
    ref,
    (changes.get(ref) ?? none).filter((one) => one.id !== id),
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the changes of an app in this session, newest first. */
export const useSessionChanges = (ref: string): readonly SessionChange[] =>
  useSyncExternalStore(subscribe, () => changes.get(ref) ?? none);
