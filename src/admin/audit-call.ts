import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { NODE } from '../apps/team/builder-audit.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type AdminCall, type AuditDetails, type Exchange, partsOf } from './call.ts';
import { callerName } from './caller-name.ts';
import type { Caller } from './context.ts';

/**
 * Runs a call of a builder and records it in the log if it is audited, whether it succeeds or is refused. If the log
 * cannot be written, the call is not undone, but a fault is reported.
 */
export async function auditCall(
  { audit }: Pick<AdminCall, 'audit'>,
  exchange: Exchange & { readonly caller: Caller },
  run: () => Promise<Reply>,
): Promise<Reply> {
  if (!audit) return run();
  const { context, caller, request, params } = exchange;
  const body = readJson(request);
  const app = audit.created ? short(audit.created(body)) : (params.ref ?? NODE);
  const before = await audit.before?.(partsOf(exchange));
  const write = async (refused: string | null): Promise<void> => {
    const actorId = caller.kind === 'builder' ? caller.userId : null;
    const actor = await callerName(context, caller);
    const { address, requestId } = request;
    const details = shortened({ ...before, ...audit.details?.(body, params) });
    const { action } = audit;
    await context.registry.audit.write({ app, actorId, actor, action, details, refused, address, requestId });
  };
  const written = async (refused: string | null) =>
    // A refused creation is in no log, because the ref may belong to an app of another builder.
    (refused === null || (!audit.created && refused !== 'app_unknown')) &&
    write(refused).catch((error: unknown) =>
      context.events.emit({ type: 'fault', requestId: request.requestId, where: 'the audit log', error }),
    );
  try {
    const result = await run();
    await written(null);
    return result;
  } catch (error) {
    await written(error instanceof NinefoldError ? error.code : 'internal_error');
    throw error;
  }
}

const short = (value: unknown): string => String(value ?? '').slice(0, limits.auditedCharacters.default);

const shortened = (details: AuditDetails): AuditDetails =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === 'boolean' ? value : short(value)]),
  );

function readJson({ body }: CallRequest): AuditDetails {
  if (!body) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as AuditDetails) : {};
  } catch {
    return {};
  }
}
