import { maxLiveTopicCharacters } from '../../contract/realtime.ts';

/** A row as a data request returns it. */
type Row = Readonly<Record<string, unknown>>;

/** One step from the old rows of a live list to the new ones (docs/realtime-live-lists.md). */
type LiveChange =
  | { readonly type: 'enter'; readonly at: number; readonly row: Row }
  | { readonly type: 'change'; readonly at: number; readonly row: Row }
  | { readonly type: 'leave'; readonly at: number }
  | { readonly type: 'move'; readonly at: number; readonly from: number };

/** Returns the rows after the changes. */
function applyChanges(rows: readonly Row[], changes: readonly LiveChange[]): readonly Row[] {
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
 * Returns the rows of a live list after a message of its channel.
 * @param rows Null before the first page.
 * @param event `page` or `changes`.
 * @param payload `{ rows }` of a page, `{ changes }` of changes.
 */
export function rowsAfter(rows: readonly Row[] | null, event: string, payload: unknown): readonly Row[] | null {
  const { rows: page, changes } = payload as {
    readonly rows?: readonly Row[];
    readonly changes?: readonly LiveChange[];
  };
  if (event === 'page') return page ?? [];
  return rows && applyChanges(rows, changes ?? []);
}

/**
 * Returns the topic of a live list.
 * @param url Address of a GET: /rest/v1/tickets?select=id.
 * @param schema Schema of the entity; null for the app's first schema.
 * @returns null for a read that is too long for a topic
 */
export function liveTopic(url: string, schema: string | null): string | null {
  const read = url.slice(url.indexOf('/rest/v1/') + '/rest/v1'.length);
  const topic = `live:${schema === null ? '' : `${encodeURIComponent(schema)}:`}${read}`;
  return topic.length <= maxLiveTopicCharacters ? topic : null;
}
