import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { pageOfAudit } from '../accounts/audit-pages.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { UUID } from '../identity/uuid.ts';
import type { AdminContext } from './context.ts';
import { jsonBytes } from './router.ts';

const text = z
  .string()
  .max(limits.emailCharacters.default)
  .regex(/^[^\0]*$/);
const time = z.iso.datetime({ offset: true });

const schema = z.strictObject({
  kind: z.enum(['members', 'builders']).default('members'),
  member: z.string().regex(UUID).optional(),
  action: text.optional(),
  search: text.optional(),
  from: time.optional(),
  to: time.optional(),
  after: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z_[0-9a-f-]{36}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(limits.auditPerPage.default).optional(),
});

/**
 * GET /apps/:ref/audit?kind=members|builders&member=&action=&search=&from=&to=&after=&limit=: entries of the audit log, the newest first:
 * events of accounts, or what builders did. `member` is the id of an account. `after` is the time and the id of the last entry of the page
 * before, with `_` between them. A search of the events of accounts looks at some of the entries at once; the header `x-next-after` then
 * is the `after` of the next part, and is missing once no older entry can match.
 */
export async function showAudit(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const asked = schema.safeParse(Object.fromEntries(new URLSearchParams(exchange.query)));
  const [at = '', id = ''] = asked.data?.after?.split('_') ?? [];
  const isCursor = asked.data?.after === undefined || (UUID.test(id) && !Number.isNaN(Date.parse(at)));
  if (!asked.success || !isCursor) {
    throw new NinefoldError('validation_invalid', {
      message:
        'kind is members or builders, member an id, action and search are texts, from and to times, after the time and id of an entry.',
    });
  }
  const { kind, member = null, action = null, search = null, from = null, to = null, after, limit } = asked.data;
  const { database } = await context.apps.get(ref);
  const query = {
    ...{ action, search, from, to },
    after: after === undefined ? null : { at, id },
    most: limit ?? limits.usersPageDefault.default,
  };
  if (kind === 'builders') return jsonBytes(await context.registry.audit.list(ref, query));
  const { entriesJson, next } = await pageOfAudit(database, member, query);
  const reply = jsonBytes(entriesJson);
  return next === null ? reply : { ...reply, headers: { ...reply.headers, 'x-next-after': next } };
}
