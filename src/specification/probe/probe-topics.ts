import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ProbedTopicCell } from '../../../contract/probe.ts';
import type { TopicCell } from '../../../contract/specification-roles.ts';
import type { AttemptResult } from '../../access/attempts.ts';
import { lookupOf } from '../../access/lookup.ts';
import { type CodeFacts, codeQueries } from '../../catalog/executed-code.ts';
import type { Facts } from '../../catalog/facts.ts';
import { groupBy } from '../../catalog/group.ts';
import { readCatalog } from '../../catalog/read-catalog.ts';
import type { Database } from '../../database/database.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { messagesTable } from '../derive/chapters/realtime.ts';
import { extensionOf, statementOf } from '../derive/chapters/roles/realtime-cells.ts';
import { evaluateAttempts, type Try } from './evaluate-attempts.ts';
import { probedAccounts } from './probe.ts';
import { type ProbeCaller, probeCallers } from './probe-callers.ts';
import { probeGroups } from './probe-groups.ts';
import { SideEffects } from './side-effects.ts';

/** The members that try each cell. */
const MEMBERS = 2;

/**
 * Tests the cells of private channels with the statements by which a join asks the policies, the topics of one pattern
 * in each transaction, and rolls them back. No message is sent.
 * @throws ConnectionError, PoolTimeoutError, and DatabaseError if the catalog cannot be read.
 */
export async function probeTopics(
  database: Database,
  facts: Facts,
  cells: readonly TopicCell[],
  isStopped: () => boolean,
): Promise<ProbedTopicCell[]> {
  const look = lookupOf(facts);
  const messages = messagesTable(look);
  if (!messages || cells.length === 0) return [];
  const code = await readCatalog<CodeFacts>(database, codeQueries, limits.catalogLockMilliseconds.default);
  const barred = new SideEffects(look, code).of(messages, 'insert');
  const accounts = await probedAccounts(database);
  return probeGroups(database, [...groupBy(cells, ({ topic }) => topic).values()], {
    searchPath: ['public', 'extensions'],
    maxGroups: limits.probedTopics.default,
    notReached: 'the probe did not come to this topic',
    plan: (cell) => {
      const role = look.shared.roles.find(({ name }) => name === cell.role);
      if (role === undefined || role.barred !== null) return { why: 'no call has this role' };
      if (barred) return { why: `not tried: ${barred}` };
      const callers = probeCallers(role, accounts, [], false, MEMBERS);
      return { tries: callers.flatMap((caller) => attemptsOf(cell, caller)) };
    },
    evaluate,
    notProbed,
    isStopped,
  });
}

/** Returns topics that match the pattern of a cell: one with the id of the caller, and one with another id. */
function topicsOf({ topic }: TopicCell, { userId }: ProbeCaller): { topic: string; row: string }[] {
  const other = randomUUID();
  if (topic === '*') return [{ topic: `ninefold-probe-${other}`, row: 'a topic without a pattern' }];
  const filled = (value: string) =>
    topic.replace(/\\(.)|[%_]/gs, (found, quoted?: string) => quoted ?? (found === '%' ? value : 'x'));
  if (filled('') === filled('x')) return [{ topic: filled(''), row: `the topic ${filled('')}` }];
  return [
    ...(userId === null ? [] : [{ topic: filled(userId), row: 'a topic with the own id' }]),
    { topic: filled(other), row: 'a topic with another id' },
  ];
}

const attemptsOf = (cell: TopicCell, caller: ProbeCaller): Try[] =>
  topicsOf(cell, caller).map(({ topic, row }) => {
    const id = randomUUID();
    const [name, extension] = [topic, extensionOf(cell.operation)].map(quoteLiteral);
    const insert = `insert into realtime.messages (id, topic, extension) values ('${id}', ${name}, ${extension})`;
    const isRead = statementOf(cell.operation) === 'select';
    const setup = [
      caller.setup,
      `select pg_catalog.set_config('realtime.topic', ${name}, true)`,
      isRead ? insert : undefined,
    ];
    const sql = isRead ? `select id from realtime.messages where id = '${id}'` : insert;
    return {
      ...{ caller, row },
      attempt: {
        ...{ role: caller.role, claims: caller.claims, kind: 'rows', sql },
        setup: setup.filter((part) => part !== undefined).join(';\n'),
      },
    };
  });

const evaluate = (
  { role, topic, operation, verdict }: TopicCell,
  tries: readonly Try[],
  answers: readonly AttemptResult[],
): ProbedTopicCell => ({
  ...{ role, topic, operation, verdict },
  ...evaluateAttempts(verdict, statementOf(operation), tries, answers),
});

const notProbed = ({ role, topic, operation, verdict }: TopicCell, note: string): ProbedTopicCell => ({
  ...{ role, topic, operation, verdict },
  ...{ outcome: 'not probed', note, attempts: [] },
});
