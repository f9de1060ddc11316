import { realtimeCalls } from '../../../../contract/calls.ts';
import type { CallEntry } from '../../../../contract/specification-calls.ts';
import { type RolesChapter, topicWords } from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import { listWords } from '../../derive/words/sentence-parts.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { cellText } from './cell-text.ts';
import type { Conditions } from './conditions.ts';
import { code, count, inline, table } from './escape.ts';

/** Returns who receives changes and who may use private channels, for chapter 6. */
export function realtimeRoleParts({ roles, changes, topics }: RolesChapter, conditions: Conditions): string[] {
  const names = roles.map(({ name }) => name);
  const row = (name: string, of: (role: string) => string) => [name, ...names.map(of)];
  const parts: string[] = [];
  if (changes !== undefined && changes.length > 0) {
    const rows = [...groupBy(changes, ({ entity }) => entity)].map(([entity, group]) =>
      row(inline(shownSql(entity)), (role) =>
        cellText(
          group.find((cell) => cell.role === role),
          conditions,
        ),
      ),
    );
    parts.push(
      '### Changes of rows',
      'Each role receives the changes of rows that it may read: inserts and updates by the row after the change, deletes by the row before it. A row that leaves its sight is a delete with the key.',
      table(['', ...names.map(inline)], rows),
    );
  }
  for (const [topic, group] of groupBy(topics ?? [], (cell) => cell.topic)) {
    const rows = [...groupBy(group, ({ operation }) => operation)].map(([operation, cells]) =>
      row(topicWords[operation], (role) =>
        cellText(
          cells.find((cell) => cell.role === role),
          conditions,
        ),
      ),
    );
    parts.push(`### Private channels: ${topicName(topic, topics)}`, table(['', ...names.map(inline)], rows));
  }
  return parts;
}

function topicName(topic: string, topics: RolesChapter['topics']): string {
  if (topic !== '*') return code(topic);
  return topics?.some((cell) => cell.topic !== '*') ? 'other topics' : 'every topic';
}

/** Returns what a role receives and may do on private channels, for the page of the role. */
export function realtimeLines(role: string, { changes = [], topics = [] }: RolesChapter): string[] {
  const received = changes.filter((cell) => cell.role === role && cell.verdict !== 'never');
  const open = topics.filter((cell) => cell.role === role && cell.verdict !== 'never');
  return [
    ...(received.length === 0
      ? []
      : [`- Changes of rows: ${listWords(received.map(({ entity }) => inline(shownSql(entity))))}`]),
    ...[...groupBy(open, ({ topic }) => topic)].map(
      ([topic, cells]) =>
        `- Private channels, ${topicName(topic, topics)}: ${listWords(cells.map(({ operation }) => topicWords[operation]))}`,
    ),
  ];
}

/** Returns the calls of realtime in chapter 7: the published tables, then the calls, which are the same in every app. */
export function realtimeCallParts(calls: readonly CallEntry[], roles: RolesChapter | undefined): string[] {
  if (calls.length === 0) return [];
  const lines = calls
    .filter(({ entity }) => entity !== null)
    .map(({ entity, summary, roles: receivers }) => {
      const who = receivers.length === 0 ? 'nobody' : receivers.map(inline).join(', ');
      return `- ${code(shownSql(entity ?? ''))}: ${inline(summary)} For ${who}.`;
    });
  const topics = new Set(roles?.topics?.map(({ topic }) => topic));
  topics.delete('*');
  return [
    '### Realtime',
    lines.length === 0 ? 'The publication supabase_realtime has no table.' : lines.join('\n'),
    ...(topics.size === 0 ? [] : [`Policies name the topics ${[...topics].map(code).join(', ')} (chapter 6).`]),
    `${count(realtimeCalls.length, 'call')} of ${code('/realtime/v1')}, as in every app: ${code('docs/realtime.md')}.`,
  ];
}
