import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { pageOfAudit } from '../../accounts/audit/audit-pages.ts';
import type { AuditQuery } from '../../apps/team/builder-audit.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import type { AdminContext } from '../context.ts';
import { jsonBytes } from '../router.ts';

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

/**
 * Handles GET /apps/:ref/audit?kind=members|builders&member=&action=&search=&from=&to=&after=&limit=: returns entries
 * of the audit log, newest first: events of accounts, or actions of builders. `member` is the id of an account. `after`
 * is the time and the id of the last entry of the previous page, joined by `_`. A search through events of accounts
 * reads the log in parts, one for each call. The header `x-next-after` is the value of `after` for the next part. It is
 * missing if no older entry can match.
 */
export async function showAudit(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const { kind, member = null, ...asked } = readQuery(request, appSchema);
  const { database } = await context.apps.get(ref);
  const query = queryOf(asked);
  if (kind === 'builders') return jsonBytes(await context.registry.audit.list(ref, query));
  const { entriesJson, next } = await pageOfAudit(database, member, query);
  const reply = jsonBytes(entriesJson);
  return next === null ? reply : { ...reply, headers: { ...reply.headers, 'x-next-after': next } };
}

/**
 * Handles GET /audit: returns actions of builders on the node. It has the parameters of `showAudit` except `kind` and
 * `member`.
 */
export async function showNodeAudit(context: AdminContext, request: CallRequest): Promise<Reply> {
  return jsonBytes(await context.registry.audit.listOfNode(queryOf(readQuery(request, nodeSchema))));
}

/**
 * Returns the parameters of a log.
 * @throws `validation_invalid`
 */
function readQuery<T>(request: CallRequest, schema: z.ZodType<T>): T {
  const asked = schema.safeParse(Object.fromEntries(new URLSearchParams(request.query)));
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
