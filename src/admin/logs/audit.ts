import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { pageOfAudit } from '../../accounts/audit/audit-pages.ts';
import type { AuditQuery } from '../../apps/team/builder-audit.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { type AdminCall, adminCall, type Query } from '../call.ts';
import { jsonBytes } from '../reply.ts';

const text = z
  .string()
  .max(limits.emailCharacters.default)
  .regex(/^[^\0]*$/);
const time = z.iso.datetime({ offset: true });

/** The query parameters that every log accepts. */
const page = {
  action: text.optional(),
  search: text.optional(),
  from: time.optional(),
  to: time.optional(),
  after: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z_[0-9a-f-]{36}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(limits.auditPerPage.default).default(limits.usersPageDefault.default),
};

const nodeSchema = z.strictObject(page);
const appSchema = z.strictObject({
  kind: z.enum(['members', 'builders']).default('members'),
  member: z.string().regex(UUID).optional(),
  ...page,
});

/** Requests for more entries than a session without a recent proof gets. */
const exports = {
  only: `more than ${limits.auditUnproven.default} entries`,
  applies: ({ query }: { readonly query: Query<'limit'> }) =>
    Number(query.get('limit') ?? 0) > limits.auditUnproven.default,
};

const showAudit = adminCall({
  route: 'GET /apps/:ref/audit',
  least: 'developer',
  sensitive: { does: 'export the audit log', ...exports },
  summary:
    'Returns entries of the audit log, newest first: events of accounts, or actions of builders. `member` is the id of an account. `after` is the time and the id of the last entry of the previous page, joined by `_`. A search through events of accounts reads the log in parts, one for each call. The header `x-next-after` is the value of `after` for the next part. It is missing if no older entry can match.',
  returns: 'MemberAuditEntry[], or BuilderAuditEntry[]',
  query: appSchema.keyof().options,
  handle: async ({ context, ref, query }) => {
    const { kind, member = null, ...asked } = readQuery(query, appSchema);
    const { database } = await context.apps.get(ref);
    const wanted = queryOf(asked);
    if (kind === 'builders') return jsonBytes(await context.registry.audit.list(ref, wanted));
    const { entriesJson, next } = await pageOfAudit(database, member, wanted);
    const reply = jsonBytes(entriesJson);
    return next === null ? reply : { ...reply, headers: { ...reply.headers, 'x-next-after': next } };
  },
});

const showNodeAudit = adminCall({
  route: 'GET /audit',
  least: 'node owner',
  sensitive: { does: 'export the audit log', ...exports },
  summary: 'Returns actions of builders on the node. The parameters are those of the log of an app.',
  returns: 'NodeAuditEntry[]',
  query: nodeSchema.keyof().options,
  handle: async ({ context, query }) =>
    jsonBytes(await context.registry.audit.listOfNode(queryOf(readQuery(query, nodeSchema)))),
});

/**
 * Returns the parameters of a log.
 * @throws `validation_invalid`
 */
function readQuery<T>(query: Query<never>, schema: z.ZodType<T>): T {
  const asked = schema.safeParse(Object.fromEntries(query));
  if (asked.success) return asked.data;
  throw invalid();
}

type Page = z.output<typeof nodeSchema>;

function queryOf({ action, search, from, to, after, limit: max }: Page): AuditQuery {
  const [at = '', id = ''] = after?.split('_') ?? [];
  if (after !== undefined && (!UUID.test(id) || Number.isNaN(Date.parse(at)))) throw invalid();
  return {
    action: action ?? null,
    search: search ?? null,
    from: from ?? null,
    to: to ?? null,
    after: after === undefined ? null : { at, id },
    most: max,
  };
}

const invalid = (): NinefoldError =>
  new NinefoldError('validation_invalid', {
    message:
      'kind is members or builders, member an id, action and search are texts, from and to times, after the time and id of an entry.',
  });

export const auditCalls: readonly AdminCall[] = [showNodeAudit, showAudit];
