/** A call of the management API for which a builder's session needs a recent proof of identity. */
export interface SensitiveCall {
  /** Completes the sentence “You are about to …”, for example with “delete the app”. */
  readonly does: string;
  /** The calls of the route that need the proof; absent if all calls of the route need it. */
  readonly only?: 'secret settings' | 'exports';
}

/**
 * The calls that need a password, a passkey or a second factor that the session has shown within `builderProofSeconds`.
 * They reveal or change secrets, destroy an app, change the rights of builders, or act as a member. To set a new
 * password, a builder enters the current one instead. The operator token needs no proof.
 */
export const sensitiveCalls: Readonly<Record<string, SensitiveCall>> = {
  'POST /apps/:ref/api-keys': { does: 'create a secret key' },
  'POST /apps/:ref/api-keys/:id/rotate': { does: 'rotate a secret key' },
  'POST /apps/:ref/api-keys/:id/revoke': { does: 'revoke a secret key' },
  'POST /apps/:ref/api-keys/:id/reveal': { does: 'see a secret key' },
  'DELETE /apps/:ref': { does: 'delete the app' },
  'POST /apps/:ref/clone': { does: 'clone the app with its rows' },
  'POST /apps/:ref/keys': { does: 'add a signing key' },
  'POST /apps/:ref/keys/rotate': { does: 'rotate the signing keys' },
  'POST /apps/:ref/keys/:kid/revoke': { does: 'revoke a signing key' },
  'PUT /apps/:ref/settings/:key': { does: 'change a secret setting', only: 'secret settings' },
  'DELETE /apps/:ref/settings/:key': { does: 'delete a secret setting', only: 'secret settings' },
  'POST /apps/:ref/members/:id/act': { does: 'act as a member' },
  'GET /apps/:ref/audit': { does: 'export the audit log', only: 'exports' },
  'POST /apps/:ref/team/invitations': { does: 'invite a builder' },
  'PUT /apps/:ref/team/:id': { does: 'change the role of a builder' },
  'DELETE /apps/:ref/team/:id': { does: 'remove a builder' },
  'GET /audit': { does: 'export the audit log', only: 'exports' },
  'POST /team/invitations': { does: 'invite a builder' },
  'PUT /team/:id': { does: 'change the role of a builder' },
  'DELETE /team/:id': { does: 'remove a builder' },
  'POST /builders/recover': { does: 'make a recovery link for a builder' },
  'PUT /node/second-factor': { does: 'change whether builders need a second factor' },
  'POST /account/factors': { does: 'add a second factor' },
  'DELETE /account/factors/:id': { does: 'remove a second factor' },
  'POST /account/factors/recovery-codes': { does: 'make recovery codes' },
  'POST /account/factors/recovery-codes/regenerate': { does: 'replace the recovery codes' },
  'DELETE /account/factors/recovery-codes': { does: 'delete the recovery codes' },
  'POST /account/passkeys/registration/options': { does: 'add a passkey' },
  'POST /account/passkeys/registration/verify': { does: 'add a passkey' },
  'DELETE /account/passkeys/:id': { does: 'remove a passkey' },
};
