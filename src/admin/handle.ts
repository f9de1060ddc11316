import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { acceptInvitation, showInvitation } from './account/accept-invitation.ts';
import { changeOwnPassword, endDevice, showDevices } from './account/account.ts';
import {
  closeSession,
  openSession,
  openSessionWithPasskey,
  passkeyOptions,
  showSession,
} from './account/builder-session.ts';
import { recoverBuilder, takeRecovery } from './account/recovery.ts';
import { addsFactor, callOwnAccount, raisesSession, showOwnFactor } from './account/second-factor.ts';
import { setUp, showSetup } from './account/setup.ts';
import { showActivity, showSignInCounts } from './apps/activity.ts';
import { cloneApp, createApp, deleteApp, renameApp, showApp, showApps, showConnection } from './apps/apps.ts';
import { showStatus } from './apps/status.ts';
import { auditCall } from './audited-calls.ts';
import { callerOf } from './authorise.ts';
import type { AdminContext, Caller } from './context.ts';
import { createApiKey, revealApiKey, revokeApiKey, rotateApiKey, showApiKeys } from './keys/api-keys.ts';
import { callApplications } from './keys/applications.ts';
import { addKeys, listKeys, revokeKey, rotateKeys } from './keys/signing-keys.ts';
import { requireLeast } from './least-role.ts';
import { showAudit, showNodeAudit } from './logs/audit.ts';
import { showLogs, summarizeLogs } from './logs/logs.ts';
import { showCalls, showErrors, showTrace } from './logs/observed-requests.ts';
import { previewMail, showMailTemplates } from './mails/mail-templates.ts';
import { testMailServer } from './mails/mail-test.ts';
import { removeMail, resendMail, showMail, showMails } from './mails/mails.ts';
import { actAsMember } from './members/act-as-member.ts';
import {
  beginMemberImport,
  removeMemberImport,
  runMemberImport,
  showImportPreview,
  showImportRefusals,
  showMemberImport,
  storeImportPart,
} from './members/member-imports.ts';
import { forgetRowImport, noteRowImport, showRowImports } from './members/row-imports.ts';
import { endSession, endSessions, showSessions } from './members/sessions.ts';
import { proveByPasskey, proveByPassword, requireRecentProof } from './recent-proof.ts';
import { findRoute, type Params, type Route } from './router.ts';
import { listHookFunctions } from './settings/hook-functions.ts';
import { checkRedirect, listSettings, setSetting, unsetSetting } from './settings/settings.ts';
import { beginSite, publishSite, removeSite, showSite, storeSite } from './site/site.ts';
import { showProbe, startProbe } from './specification/probe.ts';
import { showCall, showEntities, showSpecification, showTypes } from './specification/specification.ts';
import { compareVersions, listVersions, showVersion } from './specification/versions.ts';
import { migrate } from './sql/migrate.ts';
import { tryMigrations } from './sql/migration-trial.ts';
import { noteSaved, showUnsaved } from './sql/save-migration.ts';
import { runSql } from './sql/sql.ts';
import {
  changeAppRole,
  inviteToApp,
  leaveApp,
  removeFromApp,
  showAppBuilder,
  showAppTeam,
  uninviteFromApp,
} from './team/app-team.ts';
import { setBuilderPassword, showBuilders } from './team/builders.ts';
import {
  changeNodeRole,
  inviteToNode,
  removeBuilder,
  setSecondFactorRule,
  showNodeTeam,
  uninviteFromNode,
} from './team/node-team.ts';

interface Call {
  context: AdminContext;
  caller: Caller;
}

/** Calls that need no signed-in caller. */
const openRoutes: readonly Route<AdminContext>[] = [
  { method: 'GET', path: '/setup', handle: (context) => showSetup(context) },
  { method: 'POST', path: '/setup', handle: (context, request) => setUp(context, request) },
  { method: 'GET', path: '/session', handle: (context, request) => showSession(context, request) },
  { method: 'POST', path: '/session', handle: (context, request) => openSession(context, request) },
  { method: 'DELETE', path: '/session', handle: (context, request) => closeSession(context, request) },
  { method: 'POST', path: '/invitations/show', handle: (context, request) => showInvitation(context, request) },
  { method: 'POST', path: '/invitations/accept', handle: (context, request) => acceptInvitation(context, request) },
  { method: 'POST', path: '/recovery', handle: (context, request) => takeRecovery(context, request) },
  {
    method: 'POST',
    path: '/session/passkey/options',
    handle: (context, request) => passkeyOptions(context, request),
  },
  {
    method: 'POST',
    path: '/session/passkey',
    handle: (context, request) => openSessionWithPasskey(context, request),
  },
];

const openPaths: ReadonlySet<string> = new Set(openRoutes.map(({ path }) => path));

const nodeRoutes: readonly Route<Call>[] = [
  { method: 'GET', path: '/status', handle: ({ context, caller }) => showStatus(context, caller) },
  { method: 'GET', path: '/apps', handle: ({ context, caller }, request) => showApps(context, caller, request) },
  { method: 'POST', path: '/apps', handle: ({ context, caller }, request) => createApp(context, caller, request) },
  { method: 'GET', path: '/builders', handle: ({ context, caller }) => showBuilders(context, caller) },
  {
    method: 'PUT',
    path: '/builders/password',
    handle: ({ context, caller }, request) => setBuilderPassword(context, caller, request),
  },
  { method: 'POST', path: '/builders/recover', handle: ({ context }, request) => recoverBuilder(context, request) },
  {
    method: 'GET',
    path: '/account/sessions',
    handle: ({ context, caller }, request) => showDevices(context, caller, request),
  },
  {
    method: 'DELETE',
    path: '/account/sessions/:id',
    handle: ({ context, caller }, _, params) => endDevice(context, caller, params.id ?? ''),
  },
  {
    method: 'PUT',
    path: '/account/password',
    handle: ({ context, caller }, request) => changeOwnPassword(context, caller, request),
  },
  {
    method: 'POST',
    path: '/account/proof',
    handle: ({ context, caller }, request) => proveByPassword(context, caller, request),
  },
  {
    method: 'POST',
    path: '/account/proof/passkey',
    handle: ({ context, caller }, request) => proveByPasskey(context, caller, request),
  },
  { method: 'GET', path: '/audit', handle: ({ context }, request) => showNodeAudit(context, request) },
  {
    method: 'PUT',
    path: '/node/second-factor',
    handle: ({ context, caller }, request) => setSecondFactorRule(context, caller, request),
  },
  { method: 'GET', path: '/team', handle: ({ context, caller }) => showNodeTeam(context, caller) },
  {
    method: 'POST',
    path: '/team/invitations',
    handle: ({ context, caller }, request) => inviteToNode(context, caller, request),
  },
  {
    method: 'DELETE',
    path: '/team/invitations/:id',
    handle: ({ context }, _, params) => uninviteFromNode(context, params.id ?? ''),
  },
  {
    method: 'PUT',
    path: '/team/:id',
    handle: ({ context }, request, params) => changeNodeRole(context, request, params.id ?? ''),
  },
  {
    method: 'DELETE',
    path: '/team/:id',
    handle: ({ context }, _, params) => removeBuilder(context, params.id ?? ''),
  },
];

type AppHandler = (call: Call, request: CallRequest, ref: string, params: Params) => Promise<Reply>;

/** Returns the route of a call on one app. */
const onApp = (method: Route<Call>['method'], path: string, handle: AppHandler): Route<Call> => ({
  method,
  path: `/apps/:ref${path}`,
  handle: (call, request, params) => {
    const ref = params.ref ?? '';
    return handle(call, request, ref, params).catch(async (error: unknown) => {
      throw await call.context.apps.explain(ref, error);
    });
  },
});

const appRoutes: readonly Route<Call>[] = [
  onApp('GET', '', ({ context }, _, ref) => showApp(context, ref)),
  onApp('PATCH', '', ({ context }, request, ref) => renameApp(context, request, ref)),
  onApp('DELETE', '', ({ context }, request, ref) => deleteApp(context, request, ref)),
  onApp('POST', '/clone', ({ context, caller }, request, ref) => cloneApp(context, caller, request, ref)),
  onApp('GET', '/connection', ({ context, caller }, _, ref) => showConnection(context, caller, ref)),
  onApp('GET', '/activity', ({ context }, _, ref) => showActivity(context, ref)),
  onApp('GET', '/sign-ins', ({ context }, _, ref) => showSignInCounts(context, ref)),
  onApp('GET', '/statistics/calls', ({ context }, request, ref) => showCalls(context, request, ref)),
  onApp('GET', '/specification/call', ({ context }, request, ref) => showCall(context, request, ref)),
  onApp('GET', '/traces/:requestId', ({ context }, _, ref, params) => showTrace(context, ref, params.requestId ?? '')),
  onApp('GET', '/logs', ({ context, caller }, request, ref) => showLogs(context, caller, request, ref)),
  onApp('GET', '/logs/summary', ({ context, caller }, request, ref) => summarizeLogs(context, caller, request, ref)),
  onApp('GET', '/errors', ({ context, caller }, request, ref) => showErrors(context, caller, request, ref)),
  onApp('POST', '/sql', ({ context, caller }, request, ref) => runSql(context, caller, request, ref)),
  onApp('POST', '/migrations', ({ context, caller }, request, ref) => migrate(context, caller, request, ref)),
  onApp('POST', '/migrations/trial', ({ context }, request, ref) => tryMigrations(context, request, ref)),
  onApp('POST', '/migrations/save', ({ context, caller }, request, ref) => noteSaved(context, caller, request, ref)),
  onApp('GET', '/migrations/unsaved', ({ context }, _, ref) => showUnsaved(context, ref)),
  onApp('GET', '/entities', ({ context }, _, ref) => showEntities(context, ref)),
  onApp('GET', '/specification', ({ context }, request, ref) => showSpecification(context, request, ref)),
  onApp('GET', '/probe', ({ context }, _, ref) => showProbe(context, ref)),
  onApp('POST', '/probe', ({ context }, _, ref) => startProbe(context, ref)),
  onApp('GET', '/types', ({ context }, request, ref) => showTypes(context, request, ref)),
  onApp('GET', '/versions', ({ context }, request, ref) => listVersions(context, request, ref)),
  onApp('GET', '/versions/:n', ({ context }, _, ref, params) => showVersion(context, ref, params.n ?? '')),
  onApp('GET', '/versions/:n/changes', ({ context }, request, ref, params) =>
    compareVersions(context, request, ref, params.n ?? ''),
  ),
  onApp('GET', '/settings', ({ context }, _, ref) => listSettings(context, ref)),
  onApp('PUT', '/settings/:key', ({ context, caller }, request, ref, params) =>
    setSetting(context, caller, request, ref, params.key ?? ''),
  ),
  onApp('DELETE', '/settings/:key', ({ context, caller }, _, ref, params) =>
    unsetSetting(context, caller, ref, params.key ?? ''),
  ),
  onApp('GET', '/redirects', ({ context }, request, ref) => checkRedirect(context, request, ref)),
  onApp('GET', '/keys', ({ context }, _, ref) => listKeys(context, ref)),
  onApp('POST', '/keys', ({ context }, request, ref) => addKeys(context, request, ref)),
  onApp('POST', '/keys/rotate', ({ context }, request, ref) => rotateKeys(context, request, ref)),
  onApp('POST', '/keys/:kid/revoke', ({ context }, _, ref, params) => revokeKey(context, ref, params.kid ?? '')),
  onApp('GET', '/applications', ({ context }, request, ref) => callApplications(context, request, ref, '')),
  onApp('POST', '/applications', ({ context }, request, ref) => callApplications(context, request, ref, '')),
  onApp('PUT', '/applications/:id', ({ context }, request, ref, { id = '' }) =>
    callApplications(context, request, ref, `/${encodeURIComponent(id)}`),
  ),
  onApp('DELETE', '/applications/:id', ({ context }, request, ref, { id = '' }) =>
    callApplications(context, request, ref, `/${encodeURIComponent(id)}`),
  ),
  onApp('POST', '/applications/:id/secret', ({ context }, request, ref, { id = '' }) =>
    callApplications(context, request, ref, `/${encodeURIComponent(id)}/regenerate_secret`),
  ),

  onApp('GET', '/api-keys', ({ context }, _, ref) => showApiKeys(context, ref)),
  onApp('POST', '/api-keys', ({ context }, request, ref) => createApiKey(context, request, ref)),
  onApp('POST', '/api-keys/:id/rotate', ({ context }, _, ref, params) => rotateApiKey(context, ref, params.id ?? '')),
  onApp('POST', '/api-keys/:id/revoke', ({ context }, _, ref, params) => revokeApiKey(context, ref, params.id ?? '')),
  onApp('POST', '/api-keys/:id/reveal', ({ context }, _, ref, params) => revealApiKey(context, ref, params.id ?? '')),
  onApp('GET', '/sessions', ({ context }, request, ref) => showSessions(context, request, ref)),
  onApp('DELETE', '/sessions', ({ context }, request, ref) => endSessions(context, request, ref)),
  onApp('DELETE', '/sessions/:id', ({ context }, request, ref, params) =>
    endSession(context, request, ref, params.id ?? ''),
  ),

  onApp('GET', '/mails', ({ context }, request, ref) => showMails(context, request, ref)),
  onApp('POST', '/mails/test', ({ context }, request, ref) => testMailServer(context, request, ref)),
  onApp('GET', '/mails/:id', ({ context }, _, ref, params) => showMail(context, ref, params.id ?? '')),
  onApp('DELETE', '/mails/:id', ({ context }, _, ref, params) => removeMail(context, ref, params.id ?? '')),
  onApp('POST', '/mails/:id/resend', ({ context }, _, ref, params) => resendMail(context, ref, params.id ?? '')),
  onApp('GET', '/audit', ({ context }, request, ref) => showAudit(context, request, ref)),
  onApp('GET', '/mail-templates', ({ context }, _, ref) => showMailTemplates(context, ref)),
  onApp('POST', '/mail-templates/preview', ({ context }, request, ref) => previewMail(context, request, ref)),
  onApp('GET', '/hook-functions', ({ context }, _, ref) => listHookFunctions(context, ref)),

  onApp('POST', '/member-imports', ({ context, caller }, request, ref) =>
    beginMemberImport(context, caller, request, ref),
  ),
  onApp('GET', '/member-imports/:id', ({ context }, _, ref, params) => showMemberImport(context, ref, params.id ?? '')),
  onApp('DELETE', '/member-imports/:id', ({ context }, _, ref, params) =>
    removeMemberImport(context, ref, params.id ?? ''),
  ),
  onApp('PUT', '/member-imports/:id/parts/:position', ({ context }, request, ref, params) =>
    storeImportPart(context, request, ref, params.id ?? '', params.position ?? ''),
  ),
  onApp('GET', '/member-imports/:id/preview', ({ context }, _, ref, params) =>
    showImportPreview(context, ref, params.id ?? ''),
  ),
  onApp('POST', '/member-imports/:id/run', ({ context }, _, ref, params) =>
    runMemberImport(context, ref, params.id ?? ''),
  ),
  onApp('GET', '/member-imports/:id/refusals', ({ context }, _, ref, params) =>
    showImportRefusals(context, ref, params.id ?? ''),
  ),
  onApp('GET', '/row-imports', ({ context }, _, ref) => showRowImports(context, ref)),
  onApp('POST', '/row-imports', ({ context, caller }, request, ref) => noteRowImport(context, caller, request, ref)),
  onApp('DELETE', '/row-imports/:id', ({ context }, _, ref, params) => forgetRowImport(context, ref, params.id ?? '')),
  onApp('POST', '/members/:id/act', ({ context, caller }, request, ref, params) =>
    actAsMember(context, caller, request, ref, params.id ?? ''),
  ),

  onApp('GET', '/site', ({ context }, _, ref) => showSite(context, ref)),
  onApp('DELETE', '/site', ({ context }, _, ref) => removeSite(context, ref)),
  onApp('POST', '/site/versions', ({ context, caller }, request, ref) => beginSite(context, caller, request, ref)),
  onApp('PUT', '/site/versions/:id/files/:sha256', ({ context }, request, ref, params) =>
    storeSite(context, request, ref, params.id ?? '', params.sha256 ?? ''),
  ),
  onApp('POST', '/site/versions/:id/publish', ({ context }, _, ref, params) =>
    publishSite(context, ref, params.id ?? ''),
  ),

  onApp('GET', '/team', ({ context, caller }, _, ref) => showAppTeam(context, caller, ref)),
  onApp('POST', '/team/invitations', ({ context, caller }, request, ref) => inviteToApp(context, caller, request, ref)),
  onApp('DELETE', '/team/invitations/:id', ({ context }, _, ref, params) =>
    uninviteFromApp(context, ref, params.id ?? ''),
  ),
  onApp('GET', '/team/:id', ({ context }, _, ref, params) => showAppBuilder(context, ref, params.id ?? '')),
  onApp('PUT', '/team/:id', ({ context }, request, ref, params) =>
    changeAppRole(context, request, ref, params.id ?? ''),
  ),
  onApp('POST', '/team/leave', ({ context, caller }, _, ref) => leaveApp(context, caller, ref)),
  onApp('DELETE', '/team/:id', ({ context }, _, ref, params) => removeFromApp(context, ref, params.id ?? '')),
];

const ownAccount = (method: Route<Call>['method'], path: string): Route<Call> => ({
  method,
  path: `/account${path}`,
  handle: ({ context }, request) => callOwnAccount(context, request),
});

/** Calls on the builder's own factors and passkeys. */
const accountRoutes: readonly Route<Call>[] = [
  ownAccount('GET', '/user'),
  ownAccount('POST', '/factors'),
  ownAccount('GET', '/factors/recovery-codes'),
  ownAccount('POST', '/factors/recovery-codes'),
  ownAccount('DELETE', '/factors/recovery-codes'),
  ownAccount('POST', '/factors/recovery-codes/regenerate'),
  ownAccount('DELETE', '/factors/:id'),
  ownAccount('POST', '/factors/:id/challenge'),
  {
    method: 'POST',
    path: '/account/factors/:id/verify',
    handle: ({ context }, request) => showOwnFactor(context, request),
  },
  ownAccount('GET', '/passkeys'),
  ownAccount('POST', '/passkeys/registration/options'),
  ownAccount('POST', '/passkeys/registration/verify'),
  ownAccount('PATCH', '/passkeys/:id'),
  ownAccount('DELETE', '/passkeys/:id'),
];

const routes: readonly Route<Call>[] = [...nodeRoutes, ...appRoutes, ...accountRoutes];

/**
 * Handles a call of the management API, /admin/v1 (contract/admin.ts). `receive` reads the body up to a number of
 * bytes, or returns null.
 * @throws NinefoldError
 */
export async function handleAdmin(
  context: AdminContext,
  request: CallRequest,
  receive: ((maxBytes: number) => Promise<Uint8Array | null>) | null,
): Promise<Reply> {
  if (openPaths.has(request.path)) {
    const { route, params } = findRoute(openRoutes, request);
    if (receive) request.body = await receive(limits.authBodyBytes.default);
    return route.handle(context, request, params);
  }
  // The caller is authorised before the route is looked up, so that the response does not reveal to a stranger which
  // routes exist.
  const caller = await callerOf(context, request, {
    mayLackFactor: raisesSession(request),
    mayAddFactor: addsFactor(request),
  });
  const { route, params } = findRoute(routes, request);
  requireLeast(caller, route, params);
  await requireRecentProof(context, caller, request, { route, params });
  if (receive) request.body = await receive(limits.bodyBytes.default);
  const run = () => route.handle({ context, caller }, request, params);
  const reply = await auditCall(context, caller, request, { name: `${route.method} ${route.path}`, params, run });
  // The next request may need the change, and any worker may handle it. So the response waits until all workers use the
  // change.
  if (route.method !== 'GET' && params.ref !== undefined) await context.everyWorker(params.ref);
  return reply;
}
