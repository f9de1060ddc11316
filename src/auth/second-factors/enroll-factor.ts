import { z } from 'zod';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { AuditCaller } from '../../accounts/audit/audit.ts';
import { type EnrolmentVerdict, enrolFactor } from '../../accounts/factors/factors.ts';
import { makeTotpSecret } from '../../accounts/factors/totp.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { json } from '../reply.ts';
import { type MemberSession, requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { normalisePhone } from '../sign-in/addresses.ts';
import { requireRelyingParty } from './web-authn.ts';

const schema = z.object({
  factor_type: text(limits.factorNameCharacters.default).meta(required('totp, phone or webauthn.')),
  friendly_name: text(limits.factorNameCharacters.default).meta(
    optional('The name by which the member recognizes the factor.'),
  ),
  issuer: text(limits.factorNameCharacters.default).meta(
    optional('The name that the authenticator app shows; the host of site_url when not given.'),
  ),
  phone: text(limits.authFieldCharacters.default).meta(optional('The number of a phone factor (E.164).')),
  ...presence,
});

/**
 * Only this response contains the secret of a TOTP factor. A session without a second factor gets insufficient_aal if
 * the account has one.
 */
export const enrollFactor = authCall({
  id: 'auth.factors.enroll',
  route: 'POST /factors',
  caller: 'member',
  body: schema,
  errors: [
    'insufficient_aal',
    'mfa_factor_name_conflict',
    'mfa_phone_enroll_not_enabled',
    'mfa_totp_enroll_not_enabled',
    'mfa_verified_factor_exists',
    'mfa_webauthn_enroll_not_enabled',
    'passkey_disabled',
    'reauthentication_needed',
    'reauthentication_not_valid',
    'too_many_enrolled_mfa_factors',
  ],
  summary: 'Starts the enrolment of a second factor; it counts once it was verified.',
  returns: 'id, type, friendly_name; totp: qr_code (SVG), secret, uri',
  example: { factor_type: 'totp', friendly_name: 'My phone' },
  supabaseJs: "supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'My phone' })",
  handle: async (context, request, { member, readBody }) => {
    const { settings } = context;
    const session = await requireSession(context, member);
    const body = readBody();
    const { friendly_name: name = '', factor_type: type, issuer, phone } = body;
    await requirePresence(context, request, session, body);
    const caller = { address: request.address };
    switch (type) {
      case 'totp':
        if (!settings.mfa_totp_enroll_enabled) throw new NinefoldError('mfa_totp_enroll_not_enabled');
        return enrollTotp(context, session, { name, issuer: issuer ?? defaultIssuer(context) }, caller);
      case 'webauthn': {
        if (!settings.mfa_web_authn_enroll_enabled) throw new NinefoldError('mfa_webauthn_enroll_not_enabled');
        requireRelyingParty(context);
        const id = await enrol(context, session, { type, friendlyName: name, secret: null }, caller);
        return json({ id, type, friendly_name: name });
      }
      case 'phone':
        return enrollPhone(context, session, name, phone, caller);
      default:
        throw new NinefoldError('validation_failed', { message: 'factor_type needs to be totp, phone, or webauthn' });
    }
  },
});

async function enrollTotp(
  context: AuthContext,
  member: MemberSession,
  { name, issuer }: { name: string; issuer: string },
  caller: AuditCaller,
): Promise<Reply> {
  const { user } = member;
  const { secret, uri, qrCode } = await makeTotpSecret(issuer, user.email || user.phone || user.id);
  const id = await enrol(context, member, { type: 'totp', friendlyName: name, secret }, caller);
  return json({ id, type: 'totp', friendly_name: name, totp: { qr_code: qrCode, secret, uri } });
}

async function enrollPhone(
  context: AuthContext,
  member: MemberSession,
  name: string,
  given: string | undefined,
  caller: AuditCaller,
): Promise<Reply> {
  if (!context.settings.mfa_phone_enroll_enabled) throw new NinefoldError('mfa_phone_enroll_not_enabled');
  if (!given) throw new NinefoldError('validation_failed', { message: 'Phone number required to enroll Phone factor' });
  const phone = normalisePhone(given);
  const id = await enrol(context, member, { type: 'phone', friendlyName: name, secret: null, phone }, caller);
  return json({ id, type: 'phone', friendly_name: name, phone: given });
}

/** Stores a factor whose enrolment begins, and returns its id. */
async function enrol(
  { database, settings }: AuthContext,
  { user, sessionId, isWhole }: MemberSession,
  factor: Parameters<typeof enrolFactor>[2],
  caller: AuditCaller,
): Promise<string> {
  const bounds = {
    maxEnrolled: settings.mfa_max_enrolled_factors,
    maxVerified: settings.mfa_max_verified_factors,
    unfinishedSeconds: settings.mfa_factor_expiry_duration,
  };
  const { verdict, id } = await enrolFactor(database, { userId: user.id, sessionId, isWhole }, factor, bounds, caller);
  refuse(verdict, factor.friendlyName);
  return id;
}

function refuse(verdict: EnrolmentVerdict, name: string): void {
  switch (verdict) {
    case 'ok':
      return;
    case 'exists':
      throw new NinefoldError('mfa_verified_factor_exists', {
        message: 'A verified phone factor already exists, unenroll the existing factor to continue',
      });
    case 'name':
      throw new NinefoldError('mfa_factor_name_conflict', {
        message: `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`,
      });
    case 'many':
      throw new NinefoldError('too_many_enrolled_mfa_factors');
    case 'first-factor-only':
      throw new NinefoldError('insufficient_aal', { message: 'AAL2 required to enroll a new factor' });
    case 'no-session':
      throw new NinefoldError('session_not_found');
  }
}

/** Returns the name that an authenticator app shows beside the account. */
function defaultIssuer({ app, settings }: AuthContext): string {
  return settings.site_url !== null && URL.canParse(settings.site_url) ? new URL(settings.site_url).host : app.ref;
}
