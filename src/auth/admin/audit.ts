import { limits } from '../../../contract/limits.ts';
import { type AuditFilter, isAuditScope, listAudit } from '../../accounts/audit/audit-pages.ts';
import { optional } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall } from '../call.ts';
import { replyHeaders } from '../reply.ts';
import { pageHeaders, pageOf } from './users.ts';

/** X-Total-Count is the number of entries, and Link has the next and the last page (RFC 8288). */
export const adminAudit = authCall({
  id: 'auth.admin.audit',
  route: 'GET /admin/audit',
  caller: 'secret-key',
  errors: [],
  summary: 'Lists the events of accounts, the newest first.',
  query: {
    page: optional('Which page, from 1.', 'integer'),
    per_page: optional('Entries on a page; 50 when not given.', 'integer'),
    query: optional('author:, action: or type:, and a text that this part of the entry holds.'),
  },
  returns: 'a list of entries: id, payload, created_at, ip_address',
  handle: async (context, request) => {
    const query = new URLSearchParams(request.query);
    const { page, perPage } = pageOf(query, limits.auditPerPage.default);
    const { total, entriesJson } = await listAudit(context.database, { page, perPage, filter: filterOf(query) });
    const headers = { ...replyHeaders, ...pageHeaders('/admin/audit', query, { page, perPage, total }) };
    return { status: 200, headers, body: entriesJson };
  },
});

function filterOf(query: URLSearchParams): AuditFilter | null {
  const asked = query.get('query');
  if (!asked) return null;
  const [scope = '', ...rest] = asked.split(':');
  if (!isAuditScope(scope) || rest.length === 0) {
    throw new NinefoldError('validation_failed', {
      message: `Invalid query scope: ${asked.slice(0, limits.emailCharacters.default)}`,
    });
  }
  const text = rest.join(':').slice(0, limits.emailCharacters.default).replaceAll('\0', '');
  return text === '' ? null : { scope, text };
}
