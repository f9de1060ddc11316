import { settingsOfEach } from './setting.ts';

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

/** The pages of the providers where an app is registered, and gets its client id and its secret. */
export const providerPages: Readonly<Record<keyof typeof providerTitles, string>> = {
  google: 'https://console.cloud.google.com/apis/credentials',
  github: 'https://github.com/settings/developers',
  gitlab: 'https://gitlab.com/-/user_settings/applications',
  apple: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
  azure: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
  discord: 'https://discord.com/developers/applications',
  facebook: 'https://developers.facebook.com/apps',
};

export type ProviderName = keyof typeof providerTitles;

export const providerNames = Object.keys(providerTitles) as readonly ProviderName[];

/**
 * The result of a check of a provider's client id and secret. `accepted`: the provider knows them. `refused`: it does
 * not. `unclear`: its response tells nothing about them. `unreachable`: it did not respond, or its discovery document
 * cannot be used. `incomplete`: the provider is not on, or has no client id.
 */
export interface ProviderCheck {
  readonly verdict: 'accepted' | 'refused' | 'unclear' | 'unreachable' | 'incomplete';
  /** The result in one sentence, with the words of the provider. */
  readonly words: string;
}

/** The settings of all providers, by key. */
export const providerSettings = settingsOfEach('external_', providerNames, (name) => {
  const title = providerTitles[name];
  return {
    _enabled: {
      kind: 'boolean',
      default: false,
      meaning: `Whether members can sign in with their ${title} account.`,
    },
    _client_id: {
      kind: 'text',
      default: null,
      format: 'client id, or several with commas between, or null for none',
      meaning: `The id that ${title} has given to the app. The first one is used in browsers; ID tokens of native apps may name any of them.`,
    },
    _redirect_uri: {
      kind: 'text',
      default: null,
      format: 'absolute URL that leads to /auth/v1/callback of the app, or null for the app’s own',
      meaning: `The callback address that is registered at ${title}.`,
    },
    _url: {
      kind: 'text',
      default: null,
      format: 'absolute URL, or null for the public one',
      meaning: `The address of ${title}, where the app uses its own server or tenant there.`,
    },
    _skip_nonce_check: {
      kind: 'boolean',
      default: false,
      meaning: `Whether an ID token of ${title} may be used without its nonce. A stolen token could then be used too.`,
    },
    _email_optional: {
      kind: 'boolean',
      default: false,
      meaning: `Whether a ${title} account without an e-mail address can sign in.`,
    },
  };
});

/** The client secrets of all providers, by key. */
export const providerSecrets = settingsOfEach('external_', providerNames, (name) => ({
  _secret: {
    format: 'text, or null for none',
    meaning: `The secret that ${providerTitles[name]} has given to the app with its client id; it is never shown.`,
  },
}));
