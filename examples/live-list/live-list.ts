import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';

/** One step from the old rows to the new ones. */
type Change<Row> =
  | { readonly type: 'enter'; readonly at: number; readonly row: Row }
  | { readonly type: 'change'; readonly at: number; readonly row: Row }
  | { readonly type: 'leave'; readonly at: number }
  | { readonly type: 'move'; readonly at: number; readonly from: number };

/** Pauses before the list is joined again after the service closed it, in milliseconds. */
const PAUSES = [1000, 2000, 5000, 10_000];

/** Returns the rows after the changes. */
function applyChanges<Row>(rows: readonly Row[], changes: readonly Change<Row>[]): Row[] {
  const next = [...rows];
  for (const change of changes) {
    if (change.type === 'enter') next.splice(change.at, 0, change.row);
    else if (change.type === 'change') next[change.at] = change.row;
    else if (change.type === 'leave') next.splice(change.at, 1);
    else next.splice(change.at, 0, ...next.splice(change.from, 1));
  }
  return next;
}

/**
 * Keeps the rows of a read up to date.
 * @param read Path and query below /rest/v1, which select the primary key: `/tickets?select=id,subject&order=id`.
 * @param onRows Called with all rows, first when they arrive and then after each change.
 * @param onError Called with the reason whenever the list is refused or ends. It is joined again.
 * @returns a function that ends the list
 */
export function liveList<Row>(
  supabase: SupabaseClient,
  read: string,
  onRows: (rows: readonly Row[]) => void,
  onError: (error: Error) => void = () => undefined,
): () => void {
  let channel: RealtimeChannel | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = 0;
  let isStopped = false;

  const join = () => {
    let rows: readonly Row[] = [];
    const joined = supabase
      .channel(`live:${read}`, { config: { private: true } })
      .on('broadcast', { event: 'page' }, ({ payload }) => {
        closed = 0;
        rows = payload.rows;
        onRows(rows);
      })
      .on('broadcast', { event: 'changes' }, ({ payload }) => {
        rows = applyChanges(rows, payload.changes);
        onRows(rows);
      });
    channel = joined;
    joined.subscribe((status, error) => {
      if (isStopped || channel !== joined || status === 'SUBSCRIBED') return;
      onError(error ?? new Error(status));
      // After an error or a lost connection, the client joins again by itself.
      if (status !== 'CLOSED') return;
      channel = null;
      timer = setTimeout(join, PAUSES[Math.min(closed, PAUSES.length - 1)]);
      closed++;
    });
  };
  join();

  return () => {
    isStopped = true;
    clearTimeout(timer);
    if (channel) void supabase.removeChannel(channel);
  };
}
