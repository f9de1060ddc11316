import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ChangeRequest, ChangeSink } from './change-feed.ts';
import { type ColumnView, columnView } from './change-view.ts';
import { type TableFilter, tableFilter } from './filter-sql.ts';
import type { PublishedTable, RoleAccess } from './published-tables.ts';

/** An entry of postgres_changes for one table. */
export interface FollowedTable {
  readonly id: number;
  readonly event: ChangeRequest['event'];
  readonly table: PublishedTable;
  readonly filter: TableFilter | null;
  readonly view: ColumnView;
  /** Equal for all entries with the same view of the table. */
  readonly viewKey: string;
}

/** One channel that receives changes. */
export class Follower {
  readonly requests: readonly ChangeRequest[];
  readonly sink: ChangeSink;
  identity: Identity;
  entries: readonly FollowedTable[] = [];
  isEnded = false;

  constructor(requests: readonly ChangeRequest[], identity: Identity, sink: ChangeSink) {
    this.requests = requests;
    this.identity = identity;
    this.sink = sink;
  }

  end(reason: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.sink.onEnd(reason);
  }
}

/**
 * Finds the tables of the entries of a channel.
 * @throws NinefoldError RealtimeDisabledForConfiguration
 */
export function followedTables(
  requests: readonly ChangeRequest[],
  tables: readonly PublishedTable[],
  access: RoleAccess,
): FollowedTable[] {
  return requests.flatMap((request) => {
    const named = tables.filter(
      ({ schema, name }) =>
        (request.schema === '*' || request.schema === schema) && (request.table === '*' || request.table === name),
    );
    const isPattern = request.schema === '*' || request.table === '*';
    if (isPattern && request.select !== null) {
      throw refusal(
        'Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.',
      );
    }
    const found = named.filter(({ oid, isFollowed }) => isFollowed && access.columns[oid] !== undefined);
    if (found.length === 0) throw refusal(unfollowed(request, named, access));
    return found.map((table) => followedTable(request, table, access));
  });
}

function followedTable(request: ChangeRequest, table: PublishedTable, access: RoleAccess): FollowedTable {
  const readable = access.columns[table.oid] ?? [];
  const unknown = request.select?.find(
    (name) => !readable.includes(name) || !table.columns.some((column) => column.name === name && column.isPublished),
  );
  if (unknown !== undefined) throw refusal(`invalid column for select ${unknown}`);
  const view = columnView(table, readable, request.select);
  return {
    id: request.id,
    event: request.event,
    table,
    filter: tableFilter(table, readable, request.filter),
    view,
    viewKey: view.json,
  };
}

function unfollowed(
  { event, schema, table, filter, select }: ChangeRequest,
  named: readonly PublishedTable[],
  access: RoleAccess,
): string {
  const parameters = `[event: ${event}, schema: ${schema}, table: ${table}, filters: ${filter ?? '[]'}, select: ${select ? JSON.stringify(select) : 'nil'}]`;
  const [first] = named;
  const reason =
    first === undefined
      ? 'Please check Realtime is enabled for the given connect parameters'
      : access.columns[first.oid] === undefined
        ? 'The role may not select from the table'
        : 'The table belongs to another role, so its changes cannot be followed';
  return `Unable to subscribe to changes with given parameters. ${reason}: ${parameters}`;
}

const refusal = (message: string) => new NinefoldError('RealtimeDisabledForConfiguration', { message });
