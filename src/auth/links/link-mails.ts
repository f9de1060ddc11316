import type { CallRequest } from '../../../contract/call-request.ts';
import type { MailData, MailKind } from '../../../contract/mails.ts';
import { type AuditAction, type AuditCaller, auditEntry } from '../../accounts/audit/audit.ts';
import { queuedMail } from '../../accounts/messages/mails.ts';
import {
  isMissing,
  issuedToken,
  type MailPurpose,
  type MailRequest,
  makeOneTimeToken,
  type OneTimeToken,
  requestMail,
  type TokenKind,
} from '../../accounts/messages/one-time-tokens.ts';
import { type CodeChallenge, startFlow } from '../../accounts/providers/flow-states.ts';
import type { SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import type { SignInMethod } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { linkTarget, requireMemberPages } from './redirects.ts';

/** The types of links, as `type` of GoTrue's /verify names them. */
export type LinkType = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change';

/**
 * For each type of link, the template of its mail, the kind of its token and its sign-in method. A PKCE flow stores the
 * method.
 */
const links: Readonly<Record<LinkType, { mail: MailKind; token: TokenKind; method: SignInMethod; provider: string }>> =
  {
    signup: { mail: 'confirmation', token: 'confirmation_token', method: 'email/signup', provider: 'email' },
    invite: { mail: 'invite', token: 'confirmation_token', method: 'invite', provider: 'invite' },
    magiclink: { mail: 'magic_link', token: 'recovery_token', method: 'magiclink', provider: 'magiclink' },
    recovery: { mail: 'recovery', token: 'recovery_token', method: 'recovery', provider: 'recovery' },
    email_change: {
      mail: 'email_change',
      token: 'email_change_token_new',
      method: 'email_change',
      provider: 'email_change',
    },
  };

export const isLinkType = (type: string): type is LinkType => Object.hasOwn(links, type);

export const methodOfLink = (type: LinkType): SignInMethod => links[type].method;

/** The query parameter of the link that confirms the first address of an anonymous account. */
export const FIRST_ADDRESS = 'first_address';

export interface NewLink {
  readonly type: LinkType;
  /** The recipient's address, in lower case. */
  readonly address: string;
  readonly redirectTo: string | null;
  readonly challenge: CodeChallenge | null;
  /** For a change of address: the new address, and whether this link goes to the current address. */
  readonly change?: { readonly newEmail: string; readonly oldEmail: string; readonly toCurrent: boolean };
}

export interface Link extends NewLink {
  readonly caller: AuditCaller;
  readonly acceptLanguage: string | undefined;
  readonly token: OneTimeToken;
  readonly url: string;
}

/**
 * Creates a link. It points to the app's own origin or below the configured address of the node, and never to a host
 * that a request names.
 * @throws feature_disabled for the console
 */
export function makeLink(context: AuthContext, request: CallRequest, link: NewLink): Link {
  requireMemberPages(context);
  const kind = link.change?.toCurrent ? 'email_change_token_current' : links[link.type].token;
  const token = makeOneTimeToken(kind, link.address, {
    digits: context.settings.mailer_otp_length,
    isPkce: link.challenge !== null,
  });
  const query = new URLSearchParams({
    token: token.token,
    type: link.type,
    ...(link.redirectTo !== null && { redirect_to: link.redirectTo }),
    ...(link.change?.oldEmail === '' && { [FIRST_ADDRESS]: 'true' }),
  });
  return {
    ...link,
    caller: { address: request.address, isAdmin: link.type === 'invite' },
    acceptLanguage: request.headers['accept-language'],
    token,
    url: `${context.origins.appOrigin(context.app.ref) ?? request.baseUrl}/auth/v1/verify?${query}`,
  };
}

/** Returns the statements that store the token of a link for an account. */
export const issuedLink = (userId: string, { type, token, challenge }: Link): readonly SqlStatement[] => [
  ...(challenge === null
    ? []
    : startFlow({ method: links[type].method, providerType: links[type].provider, challenge, userId })),
  issuedToken(userId, token),
];

/**
 * Returns the audit event of a request for a link. Returns null for a change of address and for an account's first
 * mail, because the audit event of the change itself covers them.
 */
const requestOf = (link: Link): AuditAction | null => {
  if (link.type === 'magiclink' || link.type === 'recovery') return 'user_recovery_requested';
  return link.type === 'invite' ? 'user_invited' : null;
};

/**
 * Returns the statements that store the token of a link and queue its mail.
 * @param more Additional values of the mail.
 */
export const mailedLink = (userId: string, link: Link, more: MailData = {}): readonly SqlStatement[] => [
  ...issuedLink(userId, link),
  queuedMail({
    kind: links[link.type].mail,
    recipient: link.address,
    userId,
    data: {
      ConfirmationURL: link.url,
      Token: link.token.code,
      TokenHash: link.token.token,
      ...(link.redirectTo !== null && { RedirectTo: link.redirectTo }),
      ...(link.change && { NewEmail: link.change.newEmail, OldEmail: link.change.oldEmail }),
      ...more,
    },
    acceptLanguage: link.acceptLanguage,
  }) as SqlStatement,
  ...auditedRequest(userId, link),
];

function auditedRequest(userId: string, link: Link): readonly SqlStatement[] {
  const action = requestOf(link);
  return action === null ? [] : [auditEntry(action, userId, link.caller)];
}

/**
 * Returns the statements that mail the links of a change of address: to the new address, and also to the current one if
 * both must confirm.
 */
export function mailedEmailChange(
  context: AuthContext,
  request: CallRequest,
  user: { readonly id: string; readonly email: string },
  newEmail: string,
  challenge: CodeChallenge | null,
): readonly SqlStatement[] {
  const redirectTo = linkTarget(context, request);
  const change = { newEmail, oldEmail: user.email };
  const base = { type: 'email_change', redirectTo, challenge } as const;
  const toNew = makeLink(context, request, { ...base, address: newEmail, change: { ...change, toCurrent: false } });
  if (!bothConfirm(context) || user.email === '') return mailedLink(user.id, toNew);
  const toCurrent = makeLink(context, request, {
    ...base,
    address: user.email.toLowerCase(),
    change: { ...change, toCurrent: true },
  });
  if (!context.settings.hook_send_email_enabled)
    return [...mailedLink(user.id, toNew), ...mailedLink(user.id, toCurrent)];
  // The hook receives the codes of both addresses in one call, so only one mail is queued.
  const { token } = toCurrent;
  return [
    ...issuedLink(user.id, toCurrent),
    ...mailedLink(user.id, toNew, { CurrentToken: token.code, CurrentTokenHash: token.token }),
  ];
}

/** Returns true if the current address must confirm a change too (GoTrue, `emailChangeVerify`). */
export const bothConfirm = ({ settings }: AuthContext): boolean =>
  settings.mailer_secure_email_change_enabled && !settings.mailer_autoconfirm;

/**
 * Counts a request for a mail and finds the account.
 *
 * @throws over_email_send_rate_limit too soon after the last mail, and over_request_rate_limit after too many requests,
 * whether or not an account has the address
 */
export async function requireMail(
  context: AuthContext,
  callRequest: CallRequest,
  purpose: MailPurpose,
  email: string,
): Promise<MailRequest> {
  await takeFromLimit(context, callRequest, 'otp', email);
  const pause = context.settings.smtp_max_frequency;
  const request = await requestMail(context.database, purpose, email, pause);
  if (request.wait === 0) return request;
  throw new NinefoldError('over_email_send_rate_limit', {
    message: `For security purposes, you can only request this after ${request.wait} seconds.`,
    retryAfter: request.wait,
    limit: 'mailPauseSeconds',
    quota: { count: 1, seconds: pause },
  });
}

/** Ignores the error that an account was deleted in the meantime, and rethrows every other error. */
export function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
