import { DatabaseError } from '../../database/database-error.ts';
import type { Follower } from './change-follower.ts';
import { type ChangeGroup, groupsOf, type TableFollowers } from './change-groups.ts';
import { encodeChange, eventOf, outcomeOf, type ReadChange } from './change-view.ts';
import type { Sights } from './see-changes.ts';

/** Delivers the changes of one read in their order. Ends the subscribers that may miss changes. */
export function deliverChanges(
  changes: readonly ReadChange[],
  followers: ReadonlyMap<number, TableFollowers>,
  sights: Sights,
): void {
  for (const change of changes) {
    const ofTable = followers.get(change.table.oid);
    const groups = ofTable ? groupsOf(ofTable, change) : [];
    const encoded = new Map<string, Buffer>();
    for (const group of groups) deliverToGroup(change, group, sights, encoded);
  }
}

function deliverToGroup(change: ReadChange, group: ChangeGroup, sights: Sights, encoded: Map<string, Buffer>): void {
  const { operation } = change.change;
  const { schema, name } = change.table;
  if (operation === 'L') return;
  if (operation === 'T' || operation === 'M') {
    const what = operation === 'T' ? 'was truncated' : 'had too many changes in one transaction';
    for (const { follower } of group.members) follower.end(`The table ${schema}.${name} ${what}. Read it again.`);
    return;
  }
  const seen = sights.of(group, change);
  if (seen instanceof DatabaseError) {
    for (const { follower } of group.members) follower.end(`A policy of ${schema}.${name} failed: ${seen.message}`);
    return;
  }
  if (!seen.old && !seen.new) return;
  for (const { follower, entries } of group.members) {
    const messages = new Map<string, { ids: number[]; data: Buffer }>();
    for (const { id, event, filter, view, viewKey } of entries) {
      const passed = filter && sights.filtered(group, filter, change);
      if (passed instanceof DatabaseError) {
        follower.end(`A filter on ${schema}.${name} failed: ${passed.message}`);
        break;
      }
      const outcome = outcomeOf(operation, seen.old && (passed?.old ?? true), seen.new && (passed?.new ?? true));
      if (outcome === null || (event !== '*' && event !== eventOf(outcome))) continue;
      const key = `${outcome} ${viewKey}`;
      const data = encoded.get(key) ?? encodeChange(change, outcome, view);
      encoded.set(key, data);
      const message = messages.get(key) ?? { ids: [], data };
      messages.set(key, message);
      message.ids.push(id);
    }
    deliver(follower, messages.values());
  }
}

function deliver(follower: Follower, messages: Iterable<{ ids: number[]; data: Buffer }>): void {
  for (const { ids, data } of messages) if (!follower.isEnded) follower.sink.deliver(ids, data);
}
