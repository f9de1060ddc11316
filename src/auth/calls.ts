import { deleteOwnAccount } from './account/delete-own-account.ts';
import { getUser } from './account/get-user.ts';
import { linkIdentityCall, unlinkIdentityCall } from './account/identities.ts';
import { reauthenticate } from './account/reauthenticate.ts';
import { updateUserCall } from './account/update-user.ts';
import { adminAudit } from './admin/audit.ts';
import {
  addCustomProviderCall,
  changeCustomProviderCall,
  deleteCustomProviderCall,
  getCustomProviderCall,
  listCustomProvidersCall,
} from './admin/custom-providers.ts';
import { adminDeleteFactor, adminListFactors, adminUpdateFactor } from './admin/factors.ts';
import { adminCreateUser, adminDeleteUser, adminGetUser, adminListUsers, adminUpdateUser } from './admin/users.ts';
import type { CallForm, Endpoint } from './call.ts';
import { generateLink } from './links/generate-link.ts';
import { invite } from './links/invite.ts';
import { magicLink, otp, otpByPhone } from './links/otp.ts';
import { recover } from './links/recover.ts';
import { resend, resendByPhone } from './links/resend.ts';
import { showLink, verify, verifyByPhone } from './links/verify.ts';
import { authorizeApplicationByForm, authorizeApplicationCall } from './oauth-server/authorize.ts';
import {
  addOAuthClientCall,
  changeOAuthClientCall,
  deleteOAuthClientCall,
  getOAuthClientCall,
  listOAuthClientsCall,
  registerOAuthClient,
  renewOAuthClientSecret,
} from './oauth-server/clients.ts';
import {
  decideConsent,
  declineAuthorization,
  listGrants,
  revokeGrant,
  showAuthorization,
} from './oauth-server/consent.ts';
import { introspectToken, revokeToken } from './oauth-server/issued-tokens.ts';
import { discovery, oauthMetadata } from './oauth-server/openid-configuration.ts';
import { applicationToken } from './oauth-server/token.ts';
import { userInfoByPost, userInfoCall } from './oauth-server/userinfo.ts';
import { authorize } from './providers/authorize.ts';
import { callbackByForm, callbackCall } from './providers/callback.ts';
import { confirmLinking, showLinking } from './providers/confirm-linking.ts';
import { signInWithIdToken } from './providers/sign-in-with-id-token.ts';
import { health, jwks, signInWithSso, signInWithWeb3 } from './public-routes.ts';
import { challengeFactor } from './second-factors/challenge-factor.ts';
import { enrollFactor } from './second-factors/enroll-factor.ts';
import {
  adminDeletePasskey,
  adminListPasskeys,
  removePasskey,
  showPasskeys,
  updatePasskey,
} from './second-factors/passkeys.ts';
import {
  generateRecoveryCodes,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  showRecoveryCodes,
  verifyRecoveryCode,
} from './second-factors/recovery-codes.ts';
import { passkeyRegistrationOptions, verifyPasskeyRegistration } from './second-factors/register-passkey.ts';
import { passkeyAuthenticationOptions, signInWithPasskey } from './second-factors/sign-in-with-passkey.ts';
import { unenrollFactor } from './second-factors/unenroll-factor.ts';
import { verifyFactor } from './second-factors/verify-factor.ts';
import { logOut } from './sessions/log-out.ts';
import { continueElsewhere } from './sessions/open-further-session.ts';
import {
  adminEndSession,
  adminEndSessions,
  adminListSessions,
  adminLogOutUser,
  endOwnSession,
  listOwnSessions,
} from './sessions/sessions.ts';
import { exchangeCode } from './sign-in/exchange-code.ts';
import { showSettings } from './sign-in/settings.ts';
import { signInWithPassword, signInWithPhoneAndPassword } from './sign-in/sign-in-with-password.ts';
import { signUpAnonymouslyCall, signUpCall, signUpWithPhoneCall } from './sign-in/sign-up.ts';
import { refresh } from './sign-in/token.ts';

/** Every call of /auth/v1, in the order of chapter 7, which is the order in which an app uses them. */
export const calls: readonly (Endpoint | CallForm)[] = [
  signUpCall,
  signUpAnonymouslyCall,
  signInWithPassword,
  refresh,
  exchangeCode,
  getUser,
  updateUserCall,
  logOut,
  showSettings,
  health,
  jwks,
  adminListUsers,
  adminCreateUser,
  adminGetUser,
  adminUpdateUser,
  adminDeleteUser,
  deleteOwnAccount,
  listOwnSessions,
  continueElsewhere,
  endOwnSession,
  adminListSessions,
  adminEndSession,
  adminEndSessions,
  adminLogOutUser,
  adminAudit,
  authorize,
  callbackCall,
  callbackByForm,
  signInWithIdToken,
  signInWithWeb3,
  signInWithSso,
  linkIdentityCall,
  showLinking,
  confirmLinking,
  unlinkIdentityCall,
  listCustomProvidersCall,
  addCustomProviderCall,
  getCustomProviderCall,
  changeCustomProviderCall,
  deleteCustomProviderCall,
  otp,
  magicLink,
  recover,
  resend,
  showLink,
  verify,
  reauthenticate,
  invite,
  generateLink,
  enrollFactor,
  challengeFactor,
  verifyFactor,
  unenrollFactor,
  generateRecoveryCodes,
  showRecoveryCodes,
  verifyRecoveryCode,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  passkeyRegistrationOptions,
  verifyPasskeyRegistration,
  passkeyAuthenticationOptions,
  signInWithPasskey,
  showPasskeys,
  updatePasskey,
  removePasskey,
  adminListPasskeys,
  adminDeletePasskey,
  adminListFactors,
  adminUpdateFactor,
  adminDeleteFactor,
  discovery,
  oauthMetadata,
  authorizeApplicationCall,
  authorizeApplicationByForm,
  showAuthorization,
  decideConsent,
  declineAuthorization,
  applicationToken,
  introspectToken,
  revokeToken,
  userInfoCall,
  userInfoByPost,
  registerOAuthClient,
  listGrants,
  revokeGrant,
  listOAuthClientsCall,
  addOAuthClientCall,
  getOAuthClientCall,
  changeOAuthClientCall,
  deleteOAuthClientCall,
  renewOAuthClientSecret,
  signUpWithPhoneCall,
  signInWithPhoneAndPassword,
  otpByPhone,
  resendByPhone,
  verifyByPhone,
];

/** The facts of all calls, which a test writes into `contract/generated/auth-calls.json`. */
export const factsOfCalls = calls.map(({ facts }) => facts);
