import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { acceptInvitation, showInvitation } from './accept-invitation.ts';
import { changeOwnPassword, endDevice, showDevices } from './account.ts';
import { actAsMember } from './act-as-member.ts';
import { showActivity } from './activity.ts';
import { createApiKey, revealApiKey, revokeApiKey, rotateApiKey, showApiKeys } from './api-keys.ts';
import { changeAppRole, inviteToApp, leaveApp, removeFromApp, showAppTeam, uninviteFromApp } from './app-team.ts';
import { callApplications } from './applications.ts';
import { cloneApp, createApp, deleteApp, renameApp, showApp, showApps, showConnection } from './apps.ts';
import { showAudit, showNodeAudit } from './audit.ts';
import { auditCall } from './audited-calls.ts';
import { callerOf } from './authorise.ts';
import { closeSession, openSession, openSessionWithPasskey, passkeyOptions, showSession } from './builder-session.ts';
import { setBuilderPassword, showBuilders } from './builders.ts';
import { showCall, showCalls, showErrors, showLogs, showStory } from './calls.ts';
import { compareVersions } from './compare-versions.ts';
import type { AdminContext, Caller } from './context.ts';
import { listHookFunctions } from './hook-functions.ts';
import { addKeys, listKeys, revokeKey, rotateKeys } from './keys.ts';
import { requireLeast } from './least-role.ts';
import { previewMail, showMailTemplates } from './mail-templates.ts';
import { testMailServer } from './mail-test.ts';
import { removeMail, resendMail, showMail, showMails } from './mails.ts';
import {
  beginMemberImport,
  removeMemberImport,
  runMemberImport,
  showImportPreview,
  showImportRefusals,
  showMemberImport,
  storeImportPart,
} from './member-imports.ts';
import { migrate } from './migrate.ts';
import { tryMigrations } from './migration-trial.ts';
import {
  changeNodeRole,
  inviteToNode,
  removeBuilder,
  setSecondFactorRule,
  showNodeTeam,
  uninviteFromNode,
} from './node-team.ts';
import { showProbe, startProbe } from './probe.ts';
import { proveByPasskey, proveByPassword, requireRecentProof } from './recent-proof.ts';
import { recoverBuilder, takeRecovery } from './recovery.ts';
import { findRoute, type Params, type Route } from './router.ts';
import { noteSaved, showUnsaved } from './save-migration.ts';
import { addsFactor, callOwnAccount, raisesSession, showOwnFactor } from './second-factor.ts';
import { endSession, endSessions, showSessions } from './sessions.ts';
import { listSettings, setSetting, unsetSetting } from './settings.ts';
import { setUp, showSetup } from './setup.ts';
import { showSignInCounts } from './sign-in-counts.ts';
import { showEntities, showSpecification, showTypes } from './specification.ts';
import { runSql } from './sql.ts';
import { showStatus } from './status.ts';
import { listVersions, showVersion } from './versions.ts';

interface Call {
  context: AdminContext;
  caller: Caller;
}

/** Calls that nobody has to be signed in for. */
const openRoutes: readonly Route<AdminContext>[] = [
  { method: 'GET', path: '/setup', handle: (context) => showSetup(context) },
  { method: 'POST', path: '/setup', handle: (context, exchange) => setUp(context, exchange) },
  { method: 'GET', path: '/session', handle: (context, exchange) => showSession(context, exchange) },
  { method: 'POST', path: '/session', handle: (context, exchange) => openSession(context, exchange) },
  { method: 'DELETE', path: '/session', handle: (context, exchange) => closeSession(context, exchange) },
  { method: 'POST', path: '/invitations/show', handle: (context, exchange) => showInvitation(context, exchange) },
  { method: 'POST', path: '/invitations/accept', handle: (context, exchange) => acceptInvitation(context, exchange) },
  { method: 'POST', path: '/recovery', handle: (context, exchange) => takeRecovery(context, exchange) },
  {
    method: 'POST',
    path: '/session/passkey/options',
    handle: (context, exchange) => passkeyOptions(context, exchange),
  },
  {
    method: 'POST',
    path: '/session/passkey',
    handle: (context, exchange) => openSessionWithPasskey(context, exchange),
  },
];

const openPaths: ReadonlySet<string> = new Set(openRoutes.map(({ path }) => path));

const nodeRoutes: readonly Route<Call>[] = [
  { method: 'GET', path: '/status', handle: ({ context, caller }) => showStatus(context, caller) },
  { method: 'GET', path: '/apps', handle: ({ context, caller }, exchange) => showApps(context, caller, exchange) },
  { method: 'POST', path: '/apps', handle: ({ context, caller }, exchange) => createApp(context, caller, exchange) },
  { method: 'GET', path: '/builders', handle: ({ context, caller }) => showBuilders(context, caller) },
  {
    method: 'PUT',
    path: '/builders/password',
    handle: ({ context, caller }, exchange) => setBuilderPassword(context, caller, exchange),
  },
  { method: 'POST', path: '/builders/recover', handle: ({ context }, exchange) => recoverBuilder(context, exchange) },
  {
    method: 'GET',
    path: '/account/sessions',
    handle: ({ context, caller }, exchange) => showDevices(context, caller, exchange),
  },
  {
    method: 'DELETE',
    path: '/account/sessions/:id',
    handle: ({ context, caller }, _, params) => endDevice(context, caller, params.id ?? ''),
  },
  {
    method: 'PUT',
    path: '/account/password',
    handle: ({ context, caller }, exchange) => changeOwnPassword(context, caller, exchange),
  },
  {
    method: 'POST',
    path: '/account/proof',
    handle: ({ context, caller }, exchange) => proveByPassword(context, caller, exchange),
  },
  {
    method: 'POST',
    path: '/account/proof/passkey',
    handle: ({ context, caller }, exchange) => proveByPasskey(context, caller, exchange),
  },
  { method: 'GET', path: '/audit', handle: ({ context }, exchange) => showNodeAudit(context, exchange) },
  {
    method: 'PUT',
    path: '/node/second-factor',
    handle: ({ context, caller }, exchange) => setSecondFactorRule(context, caller, exchange),
  },
  { method: 'GET', path: '/team', handle: ({ context, caller }) => showNodeTeam(context, caller) },
  {
    method: 'POST',
    path: '/team/invitations',
    handle: ({ context, caller }, exchange) => inviteToNode(context, caller, exchange),
  },
  {
    method: 'DELETE',
    path: '/team/invitations/:id',
    handle: ({ context }, _, params) => uninviteFromNode(context, params.id ?? ''),
  },
  {
    method: 'PUT',
    path: '/team/:id',
    handle: ({ context }, exchange, params) => changeNodeRole(context, exchange, params.id ?? ''),
  },
  {
    method: 'DELETE',
    path: '/team/:id',
    handle: ({ context }, _, params) => removeBuilder(context, params.id ?? ''),
  },
];

type AppHandler = (call: Call, exchange: Exchange, ref: string, params: Params) => Promise<Reply>;

/** A call on one app. */
const onApp = (method: Route<Call>['method'], path: string, handle: AppHandler): Route<Call> => ({
  method,
  path: `/apps/:ref${path}`,
  handle: (call, exchange, params) => {
    const ref = params.ref ?? '';
    return handle(call, exchange, ref, params).catch(async (error: unknown) => {
      throw await call.context.apps.explain(ref, error);
    });
  },
});

const appRoutes: readonly Route<Call>[] = [
  onApp('GET', '', ({ context }, _, ref) => showApp(context, ref)),
  onApp('PATCH', '', ({ context }, exchange, ref) => renameApp(context, exchange, ref)),
  onApp('DELETE', '', ({ context }, exchange, ref) => deleteApp(context, exchange, ref)),
  onApp('POST', '/clone', ({ context, caller }, exchange, ref) => cloneApp(context, caller, exchange, ref)),
  onApp('GET', '/connection', ({ context, caller }, _, ref) => showConnection(context, caller, ref)),
  onApp('GET', '/activity', ({ context }, _, ref) => showActivity(context, ref)),
  onApp('GET', '/sign-ins', ({ context }, _, ref) => showSignInCounts(context, ref)),
  onApp('GET', '/calls', ({ context }, exchange, ref) => showCalls(context, exchange, ref)),
  onApp('GET', '/call', ({ context }, exchange, ref) => showCall(context, exchange, ref)),
  onApp('GET', '/calls/:requestId', ({ context }, _, ref, params) => showStory(context, ref, params.requestId ?? '')),
  onApp('GET', '/logs', ({ context, caller }, exchange, ref) => showLogs(context, caller, exchange, ref)),
  onApp('GET', '/errors', ({ context, caller }, exchange, ref) => showErrors(context, caller, exchange, ref)),
  onApp('POST', '/sql', ({ context, caller }, exchange, ref) => runSql(context, caller, exchange, ref)),
  onApp('POST', '/migrations', ({ context, caller }, exchange, ref) => migrate(context, caller, exchange, ref)),
  onApp('POST', '/migrations/trial', ({ context }, exchange, ref) => tryMigrations(context, exchange, ref)),
  onApp('POST', '/migrations/saved', ({ context, caller }, exchange, ref) => noteSaved(context, caller, exchange, ref)),
  onApp('GET', '/journal', ({ context }, _, ref) => showUnsaved(context, ref)),
  onApp('GET', '/entities', ({ context }, _, ref) => showEntities(context, ref)),
  onApp('GET', '/specification', ({ context }, exchange, ref) => showSpecification(context, exchange, ref)),
  onApp('GET', '/probe', ({ context }, _, ref) => showProbe(context, ref)),
  onApp('POST', '/probe', ({ context }, _, ref) => startProbe(context, ref)),
  onApp('GET', '/types', ({ context }, exchange, ref) => showTypes(context, exchange, ref)),
  onApp('GET', '/versions', ({ context }, exchange, ref) => listVersions(context, exchange, ref)),
  onApp('GET', '/versions/:n', ({ context }, _, ref, params) => showVersion(context, ref, params.n ?? '')),
  onApp('GET', '/versions/:n/changes', ({ context }, exchange, ref, params) =>
    compareVersions(context, exchange, ref, params.n ?? ''),
  ),
  onApp('GET', '/settings', ({ context }, _, ref) => listSettings(context, ref)),
  onApp('PUT', '/settings/:key', ({ context, caller }, exchange, ref, params) =>
    setSetting(context, caller, exchange, ref, params.key ?? ''),
  ),
  onApp('DELETE', '/settings/:key', ({ context, caller }, _, ref, params) =>
    unsetSetting(context, caller, ref, params.key ?? ''),
  ),
  onApp('GET', '/keys', ({ context }, _, ref) => listKeys(context, ref)),
  onApp('POST', '/keys', ({ context }, exchange, ref) => addKeys(context, exchange, ref)),
  onApp('POST', '/keys/rotate', ({ context }, exchange, ref) => rotateKeys(context, exchange, ref)),
  onApp('POST', '/keys/:kid/revoke', ({ context }, _, ref, params) => revokeKey(context, ref, params.kid ?? '')),
  onApp('GET', '/applications', ({ context }, exchange, ref) => callApplications(context, exchange, ref, '')),
  onApp('POST', '/applications', ({ context }, exchange, ref) => callApplications(context, exchange, ref, '')),
  onApp('PUT', '/applications/:id', ({ context }, exchange, ref, { id = '' }) =>
    callApplications(context, exchange, ref, `/${encodeURIComponent(id)}`),
  ),
  onApp('DELETE', '/applications/:id', ({ context }, exchange, ref, { id = '' }) =>
    callApplications(context, exchange, ref, `/${encodeURIComponent(id)}`),
  ),
  onApp('POST', '/applications/:id/secret', ({ context }, exchange, ref, { id = '' }) =>
    callApplications(context, exchange, ref, `/${encodeURIComponent(id)}/regenerate_secret`),
  ),

  onApp('GET', '/api-keys', ({ context }, _, ref) => showApiKeys(context, ref)),
  onApp('POST', '/api-keys', ({ context }, exchange, ref) => createApiKey(context, exchange, ref)),
  onApp('POST', '/api-keys/:id/rotate', ({ context }, _, ref, params) => rotateApiKey(context, ref, params.id ?? '')),
  onApp('POST', '/api-keys/:id/revoke', ({ context }, _, ref, params) => revokeApiKey(context, ref, params.id ?? '')),
  onApp('POST', '/api-keys/:id/reveal', ({ context }, _, ref, params) => revealApiKey(context, ref, params.id ?? '')),
  onApp('GET', '/sessions', ({ context }, exchange, ref) => showSessions(context, exchange, ref)),
  onApp('DELETE', '/sessions', ({ context }, exchange, ref) => endSessions(context, exchange, ref)),
  onApp('DELETE', '/sessions/:id', ({ context }, exchange, ref, params) =>
    endSession(context, exchange, ref, params.id ?? ''),
  ),

  onApp('GET', '/mails', ({ context }, exchange, ref) => showMails(context, exchange, ref)),
  onApp('POST', '/mails/test', ({ context }, exchange, ref) => testMailServer(context, exchange, ref)),
  onApp('GET', '/mails/:id', ({ context }, _, ref, params) => showMail(context, ref, params.id ?? '')),
  onApp('DELETE', '/mails/:id', ({ context }, _, ref, params) => removeMail(context, ref, params.id ?? '')),
  onApp('POST', '/mails/:id/resend', ({ context }, _, ref, params) => resendMail(context, ref, params.id ?? '')),
  onApp('GET', '/audit', ({ context }, exchange, ref) => showAudit(context, exchange, ref)),
  onApp('GET', '/mail-templates', ({ context }, _, ref) => showMailTemplates(context, ref)),
  onApp('POST', '/mail-templates/preview', ({ context }, exchange, ref) => previewMail(context, exchange, ref)),
  onApp('GET', '/hook-functions', ({ context }, _, ref) => listHookFunctions(context, ref)),

  onApp('POST', '/member-imports', ({ context, caller }, exchange, ref) =>
    beginMemberImport(context, caller, exchange, ref),
  ),
  onApp('GET', '/member-imports/:id', ({ context }, _, ref, params) => showMemberImport(context, ref, params.id ?? '')),
  onApp('DELETE', '/member-imports/:id', ({ context }, _, ref, params) =>
    removeMemberImport(context, ref, params.id ?? ''),
  ),
  onApp('PUT', '/member-imports/:id/parts/:position', ({ context }, exchange, ref, params) =>
    storeImportPart(context, exchange, ref, params.id ?? '', params.position ?? ''),
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
  onApp('POST', '/members/:id/act', ({ context, caller }, exchange, ref, params) =>
    actAsMember(context, caller, exchange, ref, params.id ?? ''),
  ),

  onApp('GET', '/team', ({ context, caller }, _, ref) => showAppTeam(context, caller, ref)),
  onApp('POST', '/team/invitations', ({ context, caller }, exchange, ref) =>
    inviteToApp(context, caller, exchange, ref),
  ),
  onApp('DELETE', '/team/invitations/:id', ({ context }, _, ref, params) =>
    uninviteFromApp(context, ref, params.id ?? ''),
  ),
  onApp('PUT', '/team/:id', ({ context }, exchange, ref, params) =>
    changeAppRole(context, exchange, ref, params.id ?? ''),
  ),
  onApp('POST', '/team/leave', ({ context, caller }, _, ref) => leaveApp(context, caller, ref)),
  onApp('DELETE', '/team/:id', ({ context }, _, ref, params) => removeFromApp(context, ref, params.id ?? '')),
];

const ownAccount = (method: Route<Call>['method'], path: string): Route<Call> => ({
  method,
  path: `/account${path}`,
  handle: ({ context }, exchange) => callOwnAccount(context, exchange),
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
    handle: ({ context }, exchange) => showOwnFactor(context, exchange),
  },
  ownAccount('GET', '/passkeys'),
  ownAccount('POST', '/passkeys/registration/options'),
  ownAccount('POST', '/passkeys/registration/verify'),
  ownAccount('PATCH', '/passkeys/:id'),
  ownAccount('DELETE', '/passkeys/:id'),
];

const routes: readonly Route<Call>[] = [...nodeRoutes, ...appRoutes, ...accountRoutes];

/**
 * Answers a call of the management API, /admin/v1 (contract/admin.ts). `receive` reads the body, of so many bytes at most; null where
 * there is none. Throws NinefoldError.
 */
export async function handleAdmin(
  context: AdminContext,
  exchange: Exchange,
  receive: ((maxBytes: number) => Promise<Uint8Array | null>) | null,
): Promise<Reply> {
  if (openPaths.has(exchange.path)) {
    const { route, params } = findRoute(openRoutes, exchange);
    if (receive) exchange.body = await receive(limits.authBodyBytes.default);
    return route.handle(context, exchange, params);
  }
  // Authorisation comes before routing, so that a stranger learns nothing from the answers.
  const caller = await callerOf(context, exchange, {
    mayLackFactor: raisesSession(exchange),
    mayAddFactor: addsFactor(exchange),
  });
  const { route, params } = findRoute(routes, exchange);
  requireLeast(caller, route, params);
  await requireRecentProof(context, caller, exchange, { route, params });
  if (receive) exchange.body = await receive(limits.bodyBytes.default);
  const run = () => route.handle({ context, caller }, exchange, params);
  return auditCall(context, caller, exchange, { name: `${route.method} ${route.path}`, params, run });
}
