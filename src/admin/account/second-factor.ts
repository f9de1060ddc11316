import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { sessionOf } from '../authorise.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { noContent } from '../reply.ts';
import { cookieFor } from './builder-session.ts';

const PREFIX = '/account';

/**
 * Handles a call below /account like `/auth/v1` of the console: factors, recovery codes and passkeys of the builder
 * whose cookie is in the request.
 * @throws what that call throws, and `operator_required` without the cookie
 */
async function callOwnAccount(context: AdminContext, request: CallRequest): Promise<Reply> {
  const session = await sessionOf(context, request);
  if (!session) throw new NinefoldError('operator_required');
  const app = await openApp(context, CONSOLE_REF);
  return context.builders.account(app, { ...request, path: request.path.slice(PREFIX.length) }, session);
}

/** Defines a call that `callOwnAccount` handles. */
const accountCall = (call: Omit<AdminCall, 'returns' | 'handle'>): AdminCall =>
  adminCall({
    ...call,
    returns: call.route.replace(/^(\w+) \/account/, 'as $1 /auth/v1'),
    handle: ({ context, request }) => callOwnAccount(context, request),
  });

const showUser = accountCall({
  route: 'GET /account/user',
  least: 'builder',
  beforeFactor: 'show',
  summary: 'Returns your account.',
});

const addFactor = accountCall({
  route: 'POST /account/factors',
  least: 'builder',
  sensitive: 'add a second factor',
  beforeFactor: 'add',
  summary: 'Adds a second factor.',
});

const showRecoveryCodes = accountCall({
  route: 'GET /account/factors/recovery-codes',
  least: 'builder',
  beforeFactor: 'add',
  summary: 'Returns how many recovery codes you created and how many are left.',
});

const makeRecoveryCodes = accountCall({
  route: 'POST /account/factors/recovery-codes',
  least: 'builder',
  sensitive: 'make recovery codes',
  beforeFactor: 'add',
  summary: 'Creates recovery codes.',
});

const deleteRecoveryCodes = accountCall({
  route: 'DELETE /account/factors/recovery-codes',
  least: 'builder',
  sensitive: 'delete the recovery codes',
  beforeFactor: 'add',
  summary: 'Deletes your recovery codes.',
});

const replaceRecoveryCodes = accountCall({
  route: 'POST /account/factors/recovery-codes/regenerate',
  least: 'builder',
  sensitive: 'replace the recovery codes',
  summary: 'Replaces your recovery codes.',
});

const removeFactor = accountCall({
  route: 'DELETE /account/factors/:id',
  least: 'builder',
  sensitive: 'remove a second factor',
  beforeFactor: 'add',
  summary: 'Removes a second factor.',
});

const challengeFactor = accountCall({
  route: 'POST /account/factors/:id/challenge',
  least: 'builder',
  beforeFactor: 'show',
  summary: 'Creates a challenge for a second factor.',
});

const showFactor = adminCall({
  route: 'POST /account/factors/:id/verify',
  least: 'builder',
  beforeFactor: 'show',
  summary:
    'Shows a second factor. Only the new cookie gets the assurance of the factor. A stolen copy of the earlier cookie does not. The page receives no token of the session.',
  handle: async ({ context, request }) => {
    const session = await sessionOf(context, request);
    await callOwnAccount(context, request);
    if (!session) throw new NinefoldError('operator_required');
    const app = await openApp(context, CONSOLE_REF);
    return { ...noContent(), cookies: [cookieFor(context, app, { ...session, aal: 'aal2' })] };
  },
});

const showPasskeys = accountCall({
  route: 'GET /account/passkeys',
  least: 'builder',
  summary: 'Returns your passkeys.',
});

const beginPasskey = accountCall({
  route: 'POST /account/passkeys/registration/options',
  least: 'builder',
  sensitive: 'add a passkey',
  summary: 'Creates a challenge for a new passkey.',
});

const addPasskey = accountCall({
  route: 'POST /account/passkeys/registration/verify',
  least: 'builder',
  sensitive: 'add a passkey',
  summary: 'Adds a passkey.',
});

const renamePasskey = accountCall({
  route: 'PATCH /account/passkeys/:id',
  least: 'builder',
  summary: 'Renames a passkey.',
});

const removePasskey = accountCall({
  route: 'DELETE /account/passkeys/:id',
  least: 'builder',
  sensitive: 'remove a passkey',
  summary: 'Removes a passkey.',
});

export const secondFactorCalls: readonly AdminCall[] = [
  showUser,
  addFactor,
  showRecoveryCodes,
  makeRecoveryCodes,
  deleteRecoveryCodes,
  replaceRecoveryCodes,
  removeFactor,
  challengeFactor,
  showFactor,
  showPasskeys,
  beginPasskey,
  addPasskey,
  renamePasskey,
  removePasskey,
];
