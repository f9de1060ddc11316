import type { Setting } from './settings.ts';

/**
 * The sign-in providers that an app can enable, by the names that GoTrue gives them. Each has the title that members
 * see.
 */
export const providerTitles = {
  google: 'Google',
  github: 'GitHub',
  gitlab: 'GitLab',
  apple: 'Apple',
  azure: 'Microsoft',
  discord: 'Discord',
  facebook: 'Facebook',
} as const;

export type ProviderName = keyof typeof providerTitles;

export const providerNames = Object.keys(providerTitles) as readonly ProviderName[];

/** The settings of one provider. The key of such a setting is `external_<provider>_` and the name of the property. */
interface OneProvider {
  enabled: boolean;
  client_id: string | null;
  redirect_uri: string | null;
  url: string | null;
  skip_nonce_check: boolean;
  email_optional: boolean;
}

export type ProviderSettings = {
  [K in keyof OneProvider as K extends string ? `external_${ProviderName}_${K}` : never]: OneProvider[K];
};

export type ProviderSecret = `external_${ProviderName}_secret`;

const settingsOf = (title: string): { readonly [K in keyof OneProvider]: Setting<OneProvider[K]> } => ({
  enabled: {
    default: false,
    type: 'true or false',
    meaning: `Whether members can sign in with their ${title} account.`,
  },
  client_id: {
    default: null,
    type: 'client id, or several with commas between, or null for none',
    meaning: `The id that ${title} has given to the app. The first one is used in browsers; ID tokens of native apps may name any of them.`,
  },
  redirect_uri: {
    default: null,
    type: 'absolute URL that leads to /auth/v1/callback of the app, or null for the app’s own',
    meaning: `The callback address that is registered at ${title}.`,
  },
  url: {
    default: null,
    type: 'absolute URL, or null for the public one',
    meaning: `The address of ${title}, where the app uses its own server or tenant there.`,
  },
  skip_nonce_check: {
    default: false,
    type: 'true or false',
    meaning: `Whether an ID token of ${title} may be used without its nonce. A stolen token could then be used too.`,
  },
  email_optional: {
    default: false,
    type: 'true or false',
    meaning: `Whether a ${title} account without an e-mail address can sign in.`,
  },
});

/** The settings of all providers, by key. */
export const providerSettings = Object.fromEntries(
  providerNames.flatMap((name) =>
    Object.entries(settingsOf(providerTitles[name])).map(([key, setting]) => [`external_${name}_${key}`, setting]),
  ),
) as unknown as { readonly [K in keyof ProviderSettings]: Setting<ProviderSettings[K]> };

/** The client secrets of all providers, by key. */
export const providerSecrets = Object.fromEntries(
  providerNames.map((name) => [
    `external_${name}_secret`,
    {
      type: 'text, or null for none',
      meaning: `The secret that ${providerTitles[name]} has given to the app with its client id; it is never shown.`,
    },
  ]),
) as Readonly<Record<ProviderSecret, { type: string; meaning: string }>>;
