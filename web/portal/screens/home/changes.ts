import type { PortalScreens } from '../../../../contract/portal.ts';
import { timeOf } from '../../../fields/format.ts';
import type { Row } from '../../queries/rest.ts';
import { rowPath } from '../../queries/screens.ts';
import type { MovableEntity } from '../../queries/waiting.ts';

/** A state change of a row that another member has made. */
export interface SeenChange {
  readonly entity: MovableEntity;
  readonly row: Row;
  readonly to: string;
  readonly isNew: boolean;
  /** Id of the account that made the change; null if the app itself made it. */
  readonly member: string | null;
  readonly at: Date;
  readonly path: string | null;
}

/** Max number of changes that the home page lists. */
const SHOWN = 8;

/** Returns the last state change of each row that another caller made after a time, newest first. Pure. */
export function changesSince(
  all: PortalScreens,
  read: readonly { readonly entity: MovableEntity; readonly rows: readonly Row[] }[],
  since: Date,
  callerId: string,
): SeenChange[] {
  const found = read.flatMap(({ entity, rows }) =>
    rows.flatMap((row): SeenChange[] => {
      const changes = Array.isArray(row.state_changes) ? row.state_changes : [];
      const last = changes.findLast(({ field }) => field === entity.machine.field);
      const at = timeOf(last?.at);
      if (!last || !at || at <= since || last.member === callerId) return [];
      return [
        {
          entity,
          row,
          to: last.to,
          isNew: last.from === null,
          member: last.member,
          at,
          path: rowPath(all, entity, row),
        },
      ];
    }),
  );
  return found.sort((a, b) => b.at.getTime() - a.at.getTime()).slice(0, SHOWN);
}
