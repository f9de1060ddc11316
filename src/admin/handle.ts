import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { auditCall } from './audit-call.ts';
import { callerOf } from './authorise.ts';
import { readBody } from './body.ts';
import { type AdminCall, type Exchange, partsOf } from './call.ts';
import { adminCalls } from './calls.ts';
import type { AdminContext } from './context.ts';
import { requireLeast } from './least-role.ts';
import { requireRecentProof } from './recent-proof.ts';
import { callsAt, chooseCall, route } from './router.ts';

const routed = route(adminCalls);

/**
 * Handles a call of the management API, /admin/v1 (docs/management-api.md). `receive` reads the body up to a number of
 * bytes, or returns null.
 * @throws NinefoldError
 */
export async function handleAdmin(
  context: AdminContext,
  request: CallRequest,
  receive: ((maxBytes: number) => Promise<Uint8Array | null>) | null,
): Promise<Reply> {
  const found = callsAt(routed, request.path);
  if (found.some(({ call }) => call.least === 'open')) {
    const { call, params } = chooseCall(found, request);
    if (receive) request.body = await receive(limits.authBodyBytes.default);
    return run(call, { context, caller: null, request, params });
  }
  // The caller is authorised before the method and the path are refused, so that the response does not reveal to a
  // stranger which routes exist.
  const before = found.find(({ method }) => method === request.method)?.call.beforeFactor;
  const caller = await callerOf(context, request, {
    mayLackFactor: before === 'show',
    mayAddFactor: before !== undefined,
  });
  const { call, params } = chooseCall(found, request);
  requireLeast(caller, call, params);
  const exchange = { context, caller, request, params };
  await requireRecentProof(call, exchange);
  if (receive) request.body = await receive(limits.bodyBytes.default);
  const reply = await auditCall(call, exchange, () => run(call, exchange));
  // The next request may need the change, and any worker may handle it. So the response waits until all workers use the
  // change.
  if (request.method !== 'GET' && params.ref !== undefined) await context.everyWorker(params.ref);
  return reply;
}

async function run(call: AdminCall, exchange: Exchange): Promise<Reply> {
  try {
    const parts = partsOf(exchange);
    call.requires?.(parts);
    return await call.handle({ ...parts, body: call.body && readBody(exchange.request, call.body) });
  } catch (error) {
    const { ref } = exchange.params;
    throw ref === undefined ? error : await exchange.context.apps.explain(ref, error);
  }
}
