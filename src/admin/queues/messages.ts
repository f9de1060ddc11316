import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { QueueMessage, QueuePage } from '../../../contract/queues.ts';
import { firstJson, quoteIdentifier } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { findQueue, runOnQueues } from './queue-sql.ts';

/** Digits of the largest power of ten that a bigint holds. The id of a message is a bigint. */
const ID_DIGITS = 18;

const isId = (text: string): boolean => /^\d+$/.test(text) && text.length <= ID_DIGITS;

const PAGE = limits.queueMessagesPerPage.default;

/** Selects messages of a table as JSON. `characters` is an SQL expression: how much of a text is returned. */
const messages = (table: string, isArchive: boolean, characters: string): string => `
  select pg_catalog.json_strip_nulls(pg_catalog.json_build_object('archived_at', ${isArchive ? 'm.archived_at' : 'null'}))::jsonb
    || pg_catalog.jsonb_build_object('id', m.msg_id::text, 'read_count', m.read_ct, 'enqueued_at', m.enqueued_at, 'visible_at', m.vt,
      'body', pg_catalog.left(m.message::text, ${characters}), 'headers', pg_catalog.left(m.headers::text, ${characters}),
      'cut', coalesce(greatest(pg_catalog.length(m.message::text), pg_catalog.length(m.headers::text)) > ${characters}, false)) as found,
    m.msg_id
  from pgmq.${quoteIdentifier(table)} m`;

const listMessages = adminCall({
  route: 'GET /apps/:ref/queues/:queue/messages',
  least: 'developer',
  summary:
    'Returns messages of a queue, the next to be read first; with `?archived=true` those of the archive, newest first. `?after=` is `next` of the page before.',
  returns: 'QueuePage',
  query: ['archived', 'after'],
  errors: ['not_found', 'sql_failed', 'validation_invalid'],
  handle: async ({ context, ref, queue, query }) => {
    const after = query.get('after');
    if (after !== null && !isId(after))
      throw new NinefoldError('validation_invalid', { message: '“after” is not the id of a message.' });
    const app = await openApp(context, ref);
    const tables = await findQueue(app, queue);
    const isArchive = query.get('archived') === 'true';
    const table = isArchive ? tables.archive : tables.queue;
    const [beyond, order] = isArchive ? ['<', 'desc'] : ['>', 'asc'];
    const result = await runOnQueues(app, {
      text: `select pg_catalog.json_agg(p.found order by p.msg_id ${order}) from (
        ${messages(table, isArchive, String(limits.queueBodyCharacters.default))}
        where $1::bigint is null or m.msg_id ${beyond} $1::bigint order by m.msg_id ${order} limit ${PAGE + 1}) p`,
      params: [after],
    });
    const found = (result && firstJson<QueueMessage[]>(result)) ?? [];
    const page = found.slice(0, PAGE);
    return json({ messages: page, next: found.length > PAGE ? (page.at(-1)?.id ?? null) : null } satisfies QueuePage);
  },
});

const showMessage = adminCall({
  route: 'GET /apps/:ref/queues/:queue/messages/:id',
  least: 'developer',
  summary: 'Returns one message complete; with `?archived=true` from the archive.',
  returns: 'QueueMessage',
  query: ['archived'],
  errors: ['not_found', 'sql_failed'],
  handle: async ({ context, ref, queue, id, query }) => {
    const app = await openApp(context, ref);
    const tables = await findQueue(app, queue);
    const isArchive = query.get('archived') === 'true';
    const found = isId(id)
      ? await runOnQueues(app, {
          text: `select p.found from (${messages(isArchive ? tables.archive : tables.queue, isArchive, '2147483647')} where m.msg_id = $1::bigint) p`,
          params: [id],
        })
      : undefined;
    const message = found && firstJson<QueueMessage>(found);
    if (!message) throw messageMissing(id);
    return json(message);
  },
});

const messageMissing = (id: string) =>
  new NinefoldError('not_found', { message: `The queue has no message ${JSON.stringify(id)}.` });

/** Any JSON value except an SQL null. */
const message = z.unknown().refine((value) => value !== undefined, 'is missing');

const sendMessage = adminCall({
  route: 'POST /apps/:ref/queues/:queue/messages',
  least: 'developer',
  audit: { action: 'queue_message_sent', details: (_, { queue }) => ({ name: queue }) },
  summary: 'Sends a message, which readers get after `delay_seconds`.',
  returns: '201 { id: string }',
  errors: ['not_found', 'sql_failed'],
  body: z.strictObject({
    message,
    headers: z.record(z.string(), z.unknown()).optional(),
    delay_seconds: z.int().min(0).max(limits.queueDelaySeconds.default).optional(),
  }),
  handle: async ({ context, ref, queue, body }) => {
    const app = await openApp(context, ref);
    const { name } = await findQueue(app, queue);
    const result = await runOnQueues(app, {
      text: 'select pg_catalog.to_json(s.id::text) from pgmq.send($1, $2::jsonb, $3::jsonb, $4::integer) s (id)',
      params: [
        name,
        JSON.stringify(body.message),
        body.headers === undefined ? null : JSON.stringify(body.headers),
        String(body.delay_seconds ?? 0),
      ],
    });
    return json({ id: result && firstJson<string>(result) }, 201);
  },
});

const archiveMessage = adminCall({
  route: 'POST /apps/:ref/queues/:queue/messages/:id/archive',
  least: 'developer',
  audit: { action: 'queue_message_archived', details: (_, { queue, id }) => ({ name: queue, id }) },
  summary: 'Moves a message to the archive of its queue.',
  errors: ['not_found', 'sql_failed'],
  handle: async ({ context, ref, queue, id }) => {
    const app = await openApp(context, ref);
    const { name } = await findQueue(app, queue);
    const text = 'select pg_catalog.to_json(pgmq.archive($1, $2::bigint))';
    const result = isId(id) ? await runOnQueues(app, { text, params: [name, id] }) : undefined;
    if (!result || firstJson<boolean>(result) !== true) throw messageMissing(id);
    return noContent();
  },
});

const deleteMessage = adminCall({
  route: 'DELETE /apps/:ref/queues/:queue/messages/:id',
  least: 'developer',
  audit: { action: 'queue_message_deleted', details: (_, { queue, id }) => ({ name: queue, id }) },
  summary: 'Deletes a message; with `?archived=true` from the archive.',
  query: ['archived'],
  errors: ['not_found', 'sql_failed'],
  handle: async ({ context, ref, queue, id, query }) => {
    const app = await openApp(context, ref);
    const tables = await findQueue(app, queue);
    const table = query.get('archived') === 'true' ? tables.archive : tables.queue;
    const text = `with gone as (delete from pgmq.${quoteIdentifier(table)} m where m.msg_id = $1::bigint returning m.msg_id)
      select pg_catalog.to_json(pg_catalog.count(*)) from gone`;
    const result = isId(id) ? await runOnQueues(app, { text, params: [id] }) : undefined;
    if (!result || firstJson<number>(result) !== 1) throw messageMissing(id);
    return noContent();
  },
});

export const queueMessageCalls: readonly AdminCall[] = [
  listMessages,
  showMessage,
  sendMessage,
  archiveMessage,
  deleteMessage,
];
