import { type RealtimeCall, realtimeCalls } from '../../../../../contract/calls.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import type { ChangeCell } from '../../../../../contract/specification-roles.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { entityId } from '../../../../catalog/names.ts';
import type { PublishedFact } from '../../../../catalog/publications.ts';
import { shownSql } from '../../words/shown-sql.ts';
import { type PublishedTable, publishedTables } from '../realtime.ts';

/** Returns the calls of /realtime/v1, and one call for the changes of each published table. */
export function realtimeCallEntries(
  look: Lookup,
  published: readonly PublishedFact[],
  cells: readonly ChangeCell[],
): CallEntry[] {
  const roles = look.shared.roles.filter(({ barred }) => barred === null).map(({ name }) => name);
  return [
    ...realtimeCalls.map((call) => ofProtocol(call, roles)),
    ...publishedTables(look, { published: [...published] }).map((table) => ofTable(look, table, cells)),
  ];
}

const ofProtocol = (
  { id, method, path, summary, parameters, returns }: RealtimeCall,
  roles: readonly string[],
): CallEntry => ({
  ...{ id, area: 'realtime', method, path, summary, entity: null, setting: null },
  ...{ roles: [...roles], parameters: [...parameters], returns },
});

const OPERATORS = 'eq, neq, gt, gte, lt, lte, in, like, ilike, is, match, imatch, isdistinct, each also with not.';

function ofTable(
  look: Lookup,
  { table, fields, filter, events }: PublishedTable,
  cells: readonly ChangeCell[],
): CallEntry {
  const entity = entityId(table.schema, table.name);
  const names = (look.fields.get(table.oid) ?? [])
    .filter(({ number }) => fields?.includes(number) ?? true)
    .map(({ name }) => name);
  const rows = filter === null ? 'rows' : `rows with ${shownSql(filter)}`;
  const inJoin = (name: string, type: string, required: boolean, meaning: string) => ({
    ...{ name, in: 'body' as const, type, required, meaning },
  });
  return {
    ...{ id: `realtime.${entity}.changes`, area: 'realtime', method: 'GET', path: '/realtime/v1/websocket' },
    summary: `Receives ${events.length === 0 ? 'no changes' : `${events.join(', ')} of ${rows}`} of ${table.name}, on a channel.`,
    entity,
    setting: null,
    roles: cells.filter((cell) => cell.entity === entity && cell.verdict !== 'never').map(({ role }) => role),
    parameters: [
      inJoin('event', 'INSERT, UPDATE, DELETE or *', true, 'Which changes.'),
      inJoin('schema', table.schema, true, 'The schema of the table.'),
      inJoin('table', table.name, false, 'The table; all published tables of the schema when not given.'),
      inJoin(
        'filter',
        'field=operator.value',
        false,
        `Which rows. Fields: ${names.join(', ')}. Operators: ${OPERATORS}`,
      ),
      inJoin('select', 'list of fields', false, 'Which fields; all when not given.'),
    ],
    returns: 'a message for each change: eventType, new and old row',
  };
}
