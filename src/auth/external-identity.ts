import type { ExternalIdentity, SignInRules } from '../accounts/external-sign-in.ts';
import { checkMetadata } from '../accounts/users.ts';
import { normaliseEmail } from './addresses.ts';
import type { AuthContext } from './context.ts';
import { identityData, mainEmail, type Profile } from './provider-profile.ts';
import type { Provider } from './providers.ts';

/** Returns a person as the accounts see them. Addresses that the app could not store are left out. Throws validation_failed. */
export function externalIdentity({ name }: Pick<Provider, 'name'>, profile: Profile): ExternalIdentity {
  const emails = profile.emails.flatMap((one) => {
    const email = storable(one.email);
    return email === null ? [] : [{ ...one, email }];
  });
  const data = identityData({ ...profile, emails });
  checkMetadata(data);
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
    return normaliseEmail(email);
  } catch {
    return null;
  }
}

export const rulesFor = ({ settings }: AuthContext, provider: Provider): SignInRules => ({
  disablesSignUp: settings.disable_signup,
  autoconfirms: settings.mailer_autoconfirm,
  isEmailOptional: provider.isEmailOptional,
});
