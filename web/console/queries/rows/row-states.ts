import { queryOptions } from '@tanstack/react-query';
import { keyParameters } from '../../../rows/query.ts';
import { rowKeys } from './keys.ts';
import { restCall, type Table } from './rest-call.ts';
import { keyFields, keyText } from './row.ts';

/** A state change of a row. */
export interface StateChange {
  readonly field: string;
  readonly transition: string | null;
  /** The state before the change; null if the row was inserted. */
  readonly from: string | null;
  readonly to: string;
  /** Id of the member who made the change; null if the caller was no member. */
  readonly member: string | null;
  readonly role: string | null;
  /** Time of the change in ISO 8601. */
  readonly at: string;
}

/** The open transitions and the state changes of one row, for the caller of the table. */
export interface RowStates {
  /** The transitions that the caller may make now. */
  readonly transitions: readonly { readonly field: string; readonly name: string }[];
  /** State changes of the row, oldest first. */
  readonly state_changes: readonly StateChange[];
}

/** Reads the open transitions and the state changes of a row, from its computed fields. */
export const rowStates = (table: Table, key: readonly string[]) =>
  queryOptions({
    queryKey: rowKeys.states(table.ref, table.entity.id, table.requestRole, keyText(key)),
    queryFn: async ({ signal }): Promise<RowStates | null> => {
      const parameters = [
        ['select', 'transitions,state_changes'] as const,
        ...keyParameters(keyFields(table.entity), key),
      ];
      const { rows } = await restCall(table, { parameters, signal });
      return (rows[0] as unknown as RowStates | undefined) ?? null;
    },
    retry: false,
  });
