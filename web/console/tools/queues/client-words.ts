import type { QueueClient, QueueEntry } from '../../../../contract/queues.ts';
import { listed } from '../../format/format.ts';

/** The operations of `pgmq_public` with the privileges on the table of the messages that each needs. */
const operations: readonly (readonly [word: string, needs: readonly string[]])[] = [
  ['send', ['INSERT', 'SELECT']],
  ['read', ['SELECT', 'UPDATE']],
  ['delete', ['SELECT', 'DELETE']],
];

type Access = Pick<QueueEntry, 'row_security' | 'policies' | 'grants'>;

/** Whether clients may use a queue. `open` marks a queue whose messages every client with a privilege reaches. */
export interface ClientAccess {
  state: 'closed' | 'policies' | 'open';
  /** One word or two for a table. */
  short: string;
  /** One sentence. */
  sentence: string;
}

/** Describes whether clients may use a queue. Pure. */
export function clientAccess({ row_security, policies, grants }: Access, exposed: boolean): ClientAccess {
  const allowed = grants.flatMap(({ role, privileges }) => {
    const can = operations.filter(([, needs]) => needs.every((each) => privileges.includes(each)));
    return can.length > 0 ? [`${role} may ${listed(can.map(([word]) => word))}`] : [];
  });
  if (allowed.length === 0)
    return closed('Clients cannot use this queue: anon and authenticated lack privileges on its table.');
  const who = listed(allowed);
  if (!exposed)
    return closed(`Clients cannot reach this queue, because pgmq_public is not exposed. By its privileges, ${who}.`);
  if (!row_security)
    return {
      state: 'open',
      short: 'every message',
      sentence: `${who}: every message, because row-level security is off.`,
    };
  if (policies.length === 0)
    return closed('Clients see no message of this queue: row-level security is on, and there is no policy.');
  return {
    state: 'policies',
    short: 'by policies',
    sentence: `${who}, as ${policies.length === 1 ? 'the policy' : 'the policies'} ${listed(policies)} ${policies.length === 1 ? 'allows' : 'allow'}.`,
  };
}

const closed = (sentence: string): ClientAccess => ({ state: 'closed', short: 'no', sentence });

/** Quotes the name of a table if SQL needs it. The prefix makes it no keyword. */
const quoted = (name: string): string => (/^[a-z0-9_]+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

/** Returns SQL that opens a queue to the members who are named in its messages. Pure. */
export const openToClients = (tables: { queue: string; archive: string }, role: QueueClient): string =>
  `alter table pgmq.${quoted(tables.queue)} enable row level security;
grant select, insert, update, delete on pgmq.${quoted(tables.queue)} to ${role};
-- Replace the condition. This one lets members use the messages that name them as the owner.
create policy own on pgmq.${quoted(tables.queue)} to ${role} using (message ->> 'owner' = (select auth.uid())::text);
-- Archiving also writes the table of the archive.
alter table pgmq.${quoted(tables.archive)} enable row level security;
grant select, insert on pgmq.${quoted(tables.archive)} to ${role};
create policy own on pgmq.${quoted(tables.archive)} to ${role} using (message ->> 'owner' = (select auth.uid())::text);`;
