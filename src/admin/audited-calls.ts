import type { CallRequest } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { authSecrets } from '../../contract/settings-auth.ts';
import { NODE } from '../apps/team/builder-audit.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { callerName } from './caller-name.ts';
import type { AdminContext, Caller } from './context.ts';
import type { Params } from './router.ts';

type Body = Readonly<Record<string, unknown>>;
type Details = Readonly<Record<string, unknown>>;

interface AuditedCall {
  readonly action: string;
  readonly details?: (body: Body, params: Params) => Details;
}

const short = (value: unknown): string => String(value ?? '').slice(0, limits.auditedCharacters.default);

/** The calls that the log of builders records. Their details never include the key material of a call. */
const audited: Readonly<Record<string, AuditedCall>> = {
  'POST /apps': { action: 'app_created', details: ({ template }) => (template ? { template: short(template) } : {}) },
  'PATCH /apps/:ref': { action: 'app_renamed', details: ({ name }) => ({ name: short(name) }) },
  'DELETE /apps/:ref': { action: 'app_deleted' },
  'POST /apps/:ref/clone': { action: 'app_cloned', details: ({ ref }) => ({ to: short(ref) }) },
  'POST /apps/:ref/sql': { action: 'sql_run', details: ({ sql }) => ({ sql: short(sql) }) },
  'POST /apps/:ref/migrations': { action: 'migrations_applied' },
  'PUT /apps/:ref/settings/:key': { action: 'setting_changed', details: settingDetails },
  'DELETE /apps/:ref/settings/:key': { action: 'setting_reset', details: (_, { key }) => ({ key: short(key) }) },
  'POST /apps/:ref/keys': { action: 'keys_added', details: ({ jwk }) => ({ imported: jwk !== undefined }) },
  'POST /apps/:ref/keys/rotate': { action: 'keys_rotated', details: ({ kid }) => (kid ? { kid: short(kid) } : {}) },
  'POST /apps/:ref/keys/:kid/revoke': { action: 'key_revoked', details: (_, { kid }) => ({ kid: short(kid) }) },
  'POST /apps/:ref/applications': {
    action: 'application_registered',
    details: ({ client_name, redirect_uris }) => ({
      client_name: short(client_name),
      redirect_uris: short(JSON.stringify(redirect_uris)),
    }),
  },
  'PUT /apps/:ref/applications/:id': {
    action: 'application_changed',
    details: ({ redirect_uris }, { id }) => ({
      client_id: short(id),
      ...(redirect_uris !== undefined && { redirect_uris: short(JSON.stringify(redirect_uris)) }),
    }),
  },
  'DELETE /apps/:ref/applications/:id': {
    action: 'application_deleted',
    details: (_, { id }) => ({ client_id: short(id) }),
  },
  'POST /apps/:ref/applications/:id/secret': {
    action: 'application_secret_renewed',
    details: (_, { id }) => ({ client_id: short(id) }),
  },
  'POST /apps/:ref/api-keys': { action: 'api_key_created', details: ({ name }) => ({ name: short(name) }) },
  'POST /apps/:ref/api-keys/:id/rotate': { action: 'api_key_rotated', details: (_, { id }) => ({ id: short(id) }) },
  'POST /apps/:ref/api-keys/:id/revoke': { action: 'api_key_revoked', details: (_, { id }) => ({ id: short(id) }) },
  'POST /apps/:ref/api-keys/:id/reveal': { action: 'api_key_revealed', details: (_, { id }) => ({ id: short(id) }) },
  'DELETE /apps/:ref/sessions': { action: 'sessions_ended' },
  'DELETE /apps/:ref/sessions/:id': { action: 'session_ended', details: (_, { id }) => ({ session_id: short(id) }) },
  'DELETE /apps/:ref/mails/:id': { action: 'mail_deleted', details: (_, { id }) => ({ mail_id: short(id) }) },
  'POST /apps/:ref/team/invitations': {
    action: 'builder_invited',
    details: ({ email, role }) => ({ email: short(email), role: short(role) }),
  },
  'DELETE /apps/:ref/team/invitations/:id': {
    action: 'invitation_withdrawn',
    details: (_, { id }) => ({ id: short(id) }),
  },
  'PUT /apps/:ref/team/:id': {
    action: 'builder_role_changed',
    details: ({ role }, { id }) => ({ builder_id: short(id), role: short(role) }),
  },
  'DELETE /apps/:ref/team/:id': { action: 'builder_removed', details: (_, { id }) => ({ builder_id: short(id) }) },
  'POST /apps/:ref/team/leave': { action: 'builder_left' },
  'POST /team/invitations': {
    action: 'builder_invited',
    details: ({ email, role, creates_apps }) => ({
      email: short(email),
      role: short(role),
      creates_apps: creates_apps === true,
    }),
  },
  'DELETE /team/invitations/:id': { action: 'invitation_withdrawn', details: (_, { id }) => ({ id: short(id) }) },
  'PUT /team/:id': {
    action: 'builder_role_changed',
    details: ({ role, creates_apps }, { id }) => ({
      builder_id: short(id),
      role: short(role),
      creates_apps: creates_apps === true,
    }),
  },
  'DELETE /team/:id': { action: 'builder_removed', details: (_, { id }) => ({ builder_id: short(id) }) },
  'PUT /node/second-factor': {
    action: 'second_factor_rule_changed',
    details: ({ required, grace_days }) => ({ required: short(required), grace_days: short(grace_days) }),
  },
  'PUT /builders/password': { action: 'builder_password_set', details: ({ email }) => ({ email: short(email) }) },
  'POST /builders/recover': {
    action: 'builder_recovery_begun',
    details: ({ email, remove_second_factor }) => ({
      email: short(email),
      second_factor_removed: remove_second_factor === true,
    }),
  },
  'POST /apps/:ref/row-imports': {
    action: 'rows_imported',
    details: ({ entity, file, rows }) => ({ entity: short(entity), file: short(file), rows: short(rows) }),
  },
  'DELETE /apps/:ref/row-imports/:id': { action: 'import_undone', details: (_, { id }) => ({ import: short(id) }) },
  'POST /apps/:ref/member-imports/:id/run': {
    action: 'members_imported',
    details: (_, { id }) => ({ import: short(id) }),
  },
  'POST /apps/:ref/site/versions/:id/publish': {
    action: 'site_published',
    details: (_, { id }) => ({ version: short(id) }),
  },
  'DELETE /apps/:ref/site': { action: 'site_removed' },
  'POST /apps/:ref/members/:id/act': { action: 'acted_as_member', details: (_, { id }) => ({ user_id: short(id) }) },
};

function settingDetails({ value }: Body, { key = '' }: Params): Details {
  if (Object.hasOwn(authSecrets, key)) return { key, changed: true };
  return { key: short(key), after: short(JSON.stringify(value)) };
}

/**
 * Runs a call of a builder and records it in the log if it is audited, whether it succeeds or is refused. If the log
 * cannot be written, the call is not undone, but a fault is reported.
 */
export async function auditCall<T>(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  call: { readonly name: string; readonly params: Params; readonly run: () => Promise<T> },
): Promise<T> {
  const entry = audited[call.name];
  const { ref } = call.params;
  // A call on an app of another builder is refused. It is not written to the log of that app.
  const isForeign = caller.kind === 'builder' && ref !== undefined && !caller.apps.has(ref);
  if (!entry || isForeign) return call.run();
  const body = readJson(request);
  const app = ref ?? (call.name === 'POST /apps' ? short(body.ref) : NODE);
  const before = await valueBefore(context, call.name, call.params);
  const write = async (refused: string | null): Promise<void> => {
    const details = { ...before, ...entry.details?.(body, call.params) };
    const actorId = caller.kind === 'builder' ? caller.userId : null;
    const actor = await callerName(context, caller);
    const { address, requestId } = request;
    await context.registry.audit.write({
      app,
      actorId,
      actor,
      action: entry.action,
      details,
      refused,
      address,
      requestId,
    });
  };
  const written = async (refused: string | null) =>
    mayWrite(call.name, refused) &&
    write(refused).catch((error: unknown) =>
      context.events.emit({ type: 'fault', requestId: request.requestId, where: 'the audit log', error }),
    );
  try {
    const result = await call.run();
    await written(null);
    return result;
  } catch (error) {
    await written(error instanceof NinefoldError ? error.code : 'internal_error');
    throw error;
  }
}

/**
 * Returns true if the log of an app may record the call. It may not record a failed creation of an app, because the ref
 * may belong to an app of another builder.
 */
const mayWrite = (name: string, refused: string | null): boolean =>
  refused === null || (name !== 'POST /apps' && refused !== 'app_unknown');

/**
 * Returns the value of a setting before a call changes it. Returns no value for a secret, or if the app cannot be
 * opened.
 */
async function valueBefore(context: AdminContext, name: string, { ref = '', key = '' }: Params): Promise<Details> {
  if (!name.endsWith('/settings/:key') || Object.hasOwn(authSecrets, key)) return {};
  const settings = await context.apps.get(ref).then(
    (app) => app.settings(),
    () => null,
  );
  const values: Body = { ...settings?.rest, ...settings?.auth, ...settings?.mail };
  return Object.hasOwn(values, key) ? { before: short(JSON.stringify(values[key])) } : {};
}

function readJson({ body }: CallRequest): Body {
  if (!body) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Body) : {};
  } catch {
    return {};
  }
}
