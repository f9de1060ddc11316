import type { CallRequest } from '../../../contract/call-request.ts';
import type { ExternalIdentity, SignInRules } from '../../accounts/providers/external-sign-in.ts';
import { UNSTORABLE } from '../../accounts/users/identifiers.ts';
import { checkMetadata } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { beforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { exactEmail } from '../sign-in/addresses.ts';
import { identityData, mainEmail, type Profile } from './provider-profile.ts';
import type { Provider } from './provider-table.ts';

/**
 * Converts the profile of a person to an `ExternalIdentity` of `src/accounts`. Leaves out addresses whose format the app
 * does not support.
 * @throws validation_failed; provider_identity_refused for claims that PostgreSQL cannot store
 */
export function externalIdentity({ name }: Pick<Provider, 'name'>, profile: Profile): ExternalIdentity {
  const emails = profile.emails.flatMap((one) => {
    const email = storable(one.email);
    return email === null ? [] : [{ ...one, email }];
  });
  const data = identityData({ ...profile, emails });
  checkMetadata(data);
  if (UNSTORABLE.test(JSON.stringify(data))) {
    throw new NinefoldError('provider_identity_refused', {
      message: 'The profile that the provider reports has a claim with a control character',
    });
  }
  return {
    provider: name,
    subject: profile.subject,
    data,
    verifiedEmails: emails.filter(({ isVerified }) => isVerified).map(({ email }) => email),
    email: mainEmail({ emails })?.email ?? null,
  };
}

function storable(email: string): string | null {
  try {
    return exactEmail(email);
  } catch {
    return null;
  }
}

/**
 * Returns the rules for an external sign-in.
 * @param identity The identity that signs in; the hook before_user_created receives its data.
 */
export const rulesFor = (
  context: AuthContext,
  request: CallRequest,
  provider: Provider,
  identity: ExternalIdentity,
): SignInRules => ({
  disablesSignUp: context.settings.disable_signup,
  autoconfirms: context.settings.mailer_autoconfirm,
  isEmailOptional: provider.isEmailOptional,
  beforeNew: ({ id, email }) =>
    beforeUserCreated(context, request.address, {
      id,
      ...(email !== null && { email }),
      userMetadata: identity.data,
      provider: identity.provider,
    }),
});
