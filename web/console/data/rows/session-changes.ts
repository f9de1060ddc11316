import { useSyncExternalStore } from 'react';
import type { Table } from './rest-call.ts';
import type { Row } from './row.ts';

/** A change of a row that the builder made on the Data page since the console was opened. */
export interface SessionChange {
  readonly id: number;
  /** The entity, and the caller who made the change. */
  readonly table: Table;
  readonly kind: 'update' | 'state' | 'insert' | 'delete';
  readonly key: readonly string[];
  /** The changed fields before and after; all fields of an inserted or deleted row. */
  readonly before: Row | null;
  readonly after: Row | null;
  /** The changed field, transition or row: "subject of 12", "7: solve", "Inserted row 12", "Deleted row 12". */
  readonly what: string;
  /** The old and the new value, in words: "normal to high". Empty if there are none to show. */
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

/** Adds a change to the list of its app. The list is only in this page, because it contains values of rows. */
export function recordChange(change: Omit<SessionChange, 'id' | 'at'>): void {
  const { ref } = change.table;
  lastId += 1;
  set(ref, [{ ...change, id: lastId, at: Date.now() }, ...(changes.get(ref) ?? none)].slice(0, MAX_CHANGES));
}

/** Removes a change that was undone. */
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
