import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import {
  isPkceToken,
  type ShownToken,
  type TokenKind,
  type TokenUsed,
  useLinkForCode,
  useOneTimeToken,
} from '../../accounts/messages/one-time-tokens.ts';
import { asConflict } from '../../accounts/users/users.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall, formOf, SESSION } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { isFromOtherOrigin } from '../providers/browser-binding.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { normaliseEmail, normalisePhone } from '../sign-in/addresses.ts';
import { clientOf, tokenReply } from '../sign-in/token-reply.ts';
import { bothConfirm, FIRST_ADDRESS, isLinkType, type LinkType, methodOfLink } from './link-mails.ts';
import { allowedRedirect, arrivalPage } from './redirects.ts';
import { confirmPage, KEEP_PASSWORD } from './verify-page.ts';
import { HALF_CONFIRMED, INVALID_LINK, linkReply } from './verify-reply.ts';

const byEmail = {
  type: text(limits.authFieldCharacters.default).meta(
    required('email, signup, invite, magiclink, recovery or email_change.'),
  ),
  email: text(limits.emailCharacters.default * 2).meta(optional('The address that received the code.')),
  token: text(limits.authTextCharacters.default).meta(optional('The code.')),
  token_hash: text(limits.authTextCharacters.default).meta(
    optional('The token of a link, in place of address and code.'),
  ),
};

const byPhone = {
  type: byEmail.type.meta(required('sms or phone_change.')),
  phone: text(limits.authFieldCharacters.default).meta(required('The number that received the code.')),
  token: byEmail.token.meta(required('The code.')),
};

const schema = z.object({ ...byPhone, ...byEmail, redirect_to: text(limits.redirectCharacters.default) });

const kinds: Readonly<Record<LinkType | 'email', readonly TokenKind[]>> = {
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  magiclink: ['recovery_token'],
  recovery: ['recovery_token'],
  email: ['confirmation_token', 'recovery_token'],
  email_change: ['email_change_token_current', 'email_change_token_new'],
};

/** For each type of code in an SMS, the kinds of tokens with which the code is compared. */
const phoneKinds = { sms: ['confirmation_token'], phone_change: ['phone_change_token'] } as const;

const isPhoneType = (type: string): type is keyof typeof phoneKinds => Object.hasOwn(phoneKinds, type);

const kindsOf = (type: string): readonly TokenKind[] | null =>
  type === 'email' || isLinkType(type) ? kinds[type] : null;

const invalid = (message: string): NinefoldError => new NinefoldError('validation_failed', { message });

/** GoTrue's message for an invalid code. */
const INVALID_CODE = 'Token has expired or is invalid';

/**
 * Changes nothing, because mail scanners open every link. On the app's own origin the call shows a page whose button
 * sends the form that confirms; on other origins it redirects there.
 */
export const showLink = authCall({
  id: 'auth.verify.page',
  route: 'GET /verify',
  caller: 'anyone',
  needsMemberPages: true,
  errors: [],
  summary: 'Shows the page of a link in a mail. Its button confirms; to open the page changes nothing.',
  query: {
    type: required('signup, invite, magiclink, recovery or email_change.'),
    token: required('The token of the link.'),
    redirect_to: optional('Where the member goes then; one of the addresses that the app allows.'),
  },
  returns: 'a page in the language of Accept-Language; below /apps/<ref> a redirect to the app’s own origin',
  handle: (context, request) => {
    const query = new URLSearchParams(request.query);
    const [type, token] = [query.get('type'), query.get('token')];
    if (!type) throw invalid('Verify requires a verification type');
    if (!token) throw invalid('Verify requires a token or a token hash');
    const { app, origins } = context;
    const origin = origins.appOrigin(app.ref);
    if (origin !== null && !origins.isOfApp(app.ref, request.headers.host)) {
      const redirect = `${origin}/auth/v1/verify?${query}`;
      return { status: 303, headers: { 'cache-control': 'no-store' }, redirect, body: null };
    }
    const redirectTo = targetOf(context, query.get('redirect_to'), token);
    const isFirstAddress = query.get(FIRST_ADDRESS) === 'true';
    return confirmPage(request, { type: isLinkType(type) ? type : null, token, redirectTo, isFirstAddress });
  },
});

/**
 * Returns the address after a link: the requested address if the app allows it, else the site, else the app's own page.
 * For a PKCE link, the app's own page is left out: another client began the flow, so the page could not use the code.
 */
const targetOf = (context: AuthContext, asked: string | null, token: string): string | null =>
  allowedRedirect(context, asked ?? '') ??
  allowedRedirect(context, context.settings.site_url ?? '') ??
  (isPkceToken(token) ? null : arrivalPage(context));

/** The request is the form on the page of a link, or the call of a program. */
export const verify = authCall({
  id: 'auth.verify',
  route: 'POST /verify',
  caller: 'anyone',
  needsMemberPages: true,
  body: schema,
  shows: byEmail,
  errors: ['email_exists', 'otp_expired', 'user_banned'],
  runsHooks: true,
  summary:
    'Confirms an address and signs in, with a code and its address or with the token of a link. Each works once.',
  returns: `a session: ${SESSION}; for the first confirmation of a change of address a message`,
  example: { type: 'email', email: 'ada@example.org', token: '123456' },
  supabaseJs: "supabase.auth.verifyOtp({ type: 'email', email: 'ada@example.org', token: '123456' })",
  handle: (context, request, { readBody }) =>
    isForm(request) ? verifyLink(context, request) : verifyByProgram(context, request, readBody()),
});

export const verifyByPhone = formOf(
  verify,
  {
    id: 'auth.verify.phone',
    needs: { external_phone_enabled: true },
    errors: ['otp_expired', 'phone_exists', 'user_banned'],
    runsHooks: true,
    summary: 'Confirms a phone number and signs in, with the code of a text. Each code works once.',
    shows: byPhone,
    returns: `a session: ${SESSION}`,
    example: { type: 'sms', phone: '+15555550100', token: '123456' },
    supabaseJs: "supabase.auth.verifyOtp({ type: 'sms', phone: '+15555550100', token: '123456' })",
  },
  ({ email, phone, token }) => Boolean(phone && token) && !email,
);

/**
 * Returns true for a form. The content type is not enough, because programs such as curl send JSON with the content
 * type of a form. A form does not begin with a brace.
 */
function isForm({ headers, body }: CallRequest): boolean {
  if (!headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded')) return false;
  return body?.find((byte) => byte > 0x20) !== 0x7b;
}

/** Uses up the link whose page was sent. Returns a redirect, or a page if the app has no site. */
async function verifyLink(context: AuthContext, request: CallRequest): Promise<Reply> {
  const form = new URLSearchParams(Buffer.from(request.body ?? []).toString('utf8'));
  const [type, token] = [form.get('type') ?? '', form.get('token') ?? ''];
  const redirectTo = targetOf(context, form.get('redirect_to'), token);
  const isPkce = isPkceToken(token);
  if (!isLinkType(type)) {
    return linkReply(context, request, { redirectTo, isPkce, type: null, used: { verdict: 'void' } });
  }
  // If a page of another site sends the form, it is not accepted. Such a page could sign the visitor in to an account
  // of its choice.
  if (isFromOtherOrigin(request)) {
    return confirmPage(request, { type, token, redirectTo, isFirstAddress: form.get(FIRST_ADDRESS) === 'true' });
  }
  await takeFromLimit(context, request, 'verify');
  const dropsPassword = (type === 'signup' || type === 'email_change') && form.get(KEEP_PASSWORD) === 'false';
  const use = { ...useOf(context, kinds[type], { token }), dropsPassword };
  const used = isPkce
    ? await useLinkForCode(context.database, use, methodOfLink(type), clientOf(request))
    : await useOneTimeToken(context.database, use, clientOf(request));
  noteSignIn(context, request, used);
  return linkReply(context, request, { redirectTo, isPkce, type, used });
}

/** Handles the call of a program, with the hash of a token or with an address and a code. Returns a session. */
async function verifyByProgram(
  context: AuthContext,
  request: CallRequest,
  { type, ...body }: z.output<typeof schema>,
): Promise<Reply> {
  if (!type) throw invalid('Verify requires a verification type');
  if (!body.token === !body.token_hash) throw invalid('Verify requires either a token or a token hash');
  const shown = body.token_hash ? shownHash(body, body.token_hash) : shownCode(body, body.token ?? '');
  const isCode = 'code' in shown;
  const isPhone = isCode && Boolean(body.phone);
  if (isPhone && !context.settings.external_phone_enabled) {
    throw new NinefoldError('otp_expired', { message: INVALID_CODE });
  }
  const wanted = isPhone && isPhoneType(type) ? phoneKinds[type] : isPhone ? null : kindsOf(type);
  if (wanted === null) {
    if (isCode) throw new NinefoldError('otp_expired', { message: INVALID_CODE });
    throw invalid('Invalid email verification type');
  }
  // Wrong codes are also counted when they are compared, by address and by phone number. That limit reserves a share
  // for networks with few attempts; the limit here does not. So codes in text messages are not counted by number here.
  // Otherwise strangers could lock a member out, because a text message contains no link as another way in.
  await takeFromLimit(context, request, 'verify', isCode && !isPhone ? shown.address : undefined);
  const use = isPhone ? phoneUseOf(context, wanted, shown) : useOf(context, wanted, shown);
  const used = await useOneTimeToken(context.database, use, clientOf(request)).catch(asConflict);
  switch (used.verdict) {
    case 'used':
      noteSignIn(context, request, used);
      return tokenReply(context, request, used.grant);
    case 'half':
      return json({ msg: HALF_CONFIRMED, code: '200' });
    case 'banned':
      throw new NinefoldError('user_banned', { status: 403 });
    case 'taken':
      throw new NinefoldError(isPhone ? 'phone_exists' : 'email_exists');
    default:
      throw new NinefoldError('otp_expired', { message: isCode ? INVALID_CODE : INVALID_LINK });
  }
}

function shownHash(body: { email?: string | undefined; phone?: string | undefined }, token: string): ShownToken {
  if (body.email || body.phone) throw invalid('Only the token_hash and type should be provided');
  return { token };
}

function shownCode(body: { email?: string | undefined; phone?: string | undefined }, code: string): ShownToken {
  if (body.phone && !body.email) return { address: normalisePhone(body.phone), code };
  if (!body.email || body.phone) throw invalid('Only an email address or phone number should be provided on verify');
  return { address: emailOf(body.email), code };
}

/**
 * Returns the normalised address, with the message that GoTrue uses only in this call.
 * @throws validation_failed
 */
function emailOf(given: string): string {
  try {
    return normaliseEmail(given);
  } catch (error) {
    throw new NinefoldError('validation_failed', { status: 422, message: 'Invalid email format', cause: error });
  }
}

const useOf = (context: AuthContext, wanted: readonly TokenKind[], shown: ShownToken) => ({
  kinds: wanted,
  shown,
  validSeconds: context.settings.mailer_otp_exp,
  bothConfirm: bothConfirm(context),
});

const phoneUseOf = ({ settings }: AuthContext, wanted: readonly TokenKind[], shown: ShownToken) => ({
  ...{ kinds: wanted, shown, isPhone: true },
  validSeconds: settings.sms_otp_exp,
  bothConfirm: false,
});

function noteSignIn({ app, events }: AuthContext, { address }: CallRequest, used: TokenUsed): void {
  if (used.verdict !== 'used') return;
  events.emit({ type: 'auth', what: 'signed-in', app: app.ref, userId: used.grant.user.id, address });
}
