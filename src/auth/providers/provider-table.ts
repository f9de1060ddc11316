import { createHmac } from 'node:crypto';
import type { ProviderName } from '../../../contract/providers.ts';
import { asObject, claimId, claimText, isTrue, oneEmail, type Profile, standardClaims } from './provider-profile.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Facts on which the reading of an ID token depends, in addition to its claims. */
export interface TokenOrigin {
  /** True if the builder has named a single tenant, and only its tokens are accepted. */
  readonly isOwnTenant: boolean;
}

/** An OpenID Connect provider. Its endpoints and keys are in its discovery document. */
interface OpenIdProvider {
  readonly kind: 'oidc';
  readonly scopes: readonly string[];
  readonly responseMode?: 'form_post';
  /**
   * Returns the issuer.
   * @param url The setting `url`.
   */
  readonly issuer: (url: string | null) => string;
  /** The address of the discovery document, if it is not below the issuer. */
  readonly discovery?: string;
  /** True if the profile may be only at the userinfo endpoint, and not in the ID token. */
  readonly readsUserInfo?: true;
  /** Returns true for the issuers that ID tokens may name. */
  readonly accepts: (issuer: string, url: string | null) => boolean;
  readonly readClaims: (claims: Claims, origin: TokenOrigin) => Profile;
}

/** An OAuth 2.0 provider without OpenID Connect. Its API returns the profile of the member. */
interface OAuth2Provider {
  readonly kind: 'oauth2';
  readonly scopes: readonly string[];
  readonly base: string;
  /** The issuer in the parameter iss of a callback (RFC 9207). */
  readonly issuer: (base: string) => string;
  readonly authorization: (base: string) => string;
  readonly token: (base: string) => string;
  /** Returns the addresses that are read with the access token. */
  readonly profile: (base: string, access: { token: string; secret: string }) => readonly string[];
  /** Reads the responses of these addresses, in order. */
  readonly readAnswers: (answers: readonly unknown[], base: string) => Profile;
  /** Describes the ID tokens of a provider that issues them only to native apps. */
  readonly idTokens?: Pick<OpenIdProvider, 'issuer' | 'accepts' | 'readClaims'> & { readonly hasNoNonce: boolean };
}

export type ProviderEntry = OpenIdProvider | OAuth2Provider;

const GOOGLE = 'https://accounts.google.com';
const APPLE = ['https://appleid.apple.com', 'https://account.apple.com'];
const FACEBOOK = 'https://www.facebook.com';
const MICROSOFT = 'https://login.microsoftonline.com';

/** The tenant of personal accounts. Microsoft has verified the addresses of these accounts. */
const PERSONAL = `${MICROSOFT}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0`;
const TENANT = /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/;

/** Names that stand for many tenants. */
const SHARED_TENANTS = /\/(?:common|organizations|consumers)$/;

const names = (subject: string, name: unknown, picture: unknown): Claims => ({
  name: claimText(name),
  full_name: claimText(name),
  picture: claimText(picture),
  avatar_url: claimText(picture),
  provider_id: subject,
});

/** The providers that an app can enable: endpoints, scopes, and how each provider reports a person. */
export const providerTable: Readonly<Record<ProviderName, ProviderEntry>> = {
  google: {
    kind: 'oidc',
    scopes: ['openid', 'email', 'profile'],
    issuer: () => GOOGLE,
    accepts: (issuer) => issuer === GOOGLE,
    readClaims: (claims) => {
      const subject = claimId(claims.sub);
      const domain = claimText(claims.hd);
      return {
        subject,
        emails: oneEmail(claims.email, isTrue(claims.email_verified)),
        claims: {
          iss: claims.iss,
          ...names(subject, claims.name, claims.picture),
          ...(domain && { custom_claims: { hd: domain } }),
        },
      };
    },
  },
  github: {
    kind: 'oauth2',
    scopes: ['user:email'],
    base: 'https://github.com',
    issuer: (base) => `${base}/login/oauth`,
    authorization: (base) => `${base}/login/oauth/authorize`,
    token: (base) => `${base}/login/oauth/access_token`,
    profile: (base) => [`${githubApi(base)}/user`, `${githubApi(base)}/user/emails`],
    readAnswers: ([first, second], base) => {
      const user = asObject(first);
      const subject = claimId(user.id);
      const login = claimText(user.login);
      return {
        subject,
        emails: (Array.isArray(second) ? second : []).flatMap((each) => {
          const { email, verified, primary } = asObject(each);
          return oneEmail(email, verified === true).map((one) => ({ ...one, isPrimary: primary === true }));
        }),
        claims: {
          iss: githubApi(base),
          name: claimText(user.name),
          full_name: claimText(user.name),
          avatar_url: claimText(user.avatar_url),
          preferred_username: login,
          user_name: login,
        },
      };
    },
  },
  gitlab: {
    kind: 'oauth2',
    scopes: ['read_user'],
    base: 'https://gitlab.com',
    issuer: (base) => base,
    authorization: (base) => `${base}/oauth/authorize`,
    token: (base) => `${base}/oauth/token`,
    profile: (base) => [`${base}/api/v4/user`],
    readAnswers: ([first], base) => {
      const user = asObject(first);
      const subject = claimId(user.id);
      return {
        subject,
        emails: oneEmail(user.email, claimText(user.confirmed_at) !== ''),
        claims: { iss: base, ...names(subject, user.name, user.avatar_url) },
      };
    },
  },
  apple: {
    kind: 'oidc',
    scopes: ['openid', 'email', 'name'],
    responseMode: 'form_post',
    issuer: () => APPLE[0] as string,
    accepts: (issuer) => APPLE.includes(issuer),
    readClaims: (claims) => ({
      subject: claimId(claims.sub),
      emails: oneEmail(claims.email, isTrue(claims.email_verified)),
      claims: {
        iss: claims.iss,
        custom_claims: { is_private_email: isTrue(claims.is_private_email) },
      },
    }),
  },
  azure: {
    kind: 'oidc',
    scopes: ['openid', 'email', 'profile'],
    issuer: (url) => `${url ?? `${MICROSOFT}/common`}/v2.0`,
    accepts: (issuer, url) => (isTenant(url) ? issuer === `${url}/v2.0` : TENANT.test(issuer)),
    readClaims: (claims, { isOwnTenant }) => ({
      subject: claimId(claims.sub),
      emails: oneEmail(claims.email, isVerifiedByMicrosoft(claims, isOwnTenant)),
      claims: {
        iss: claims.iss,
        full_name: claimText(claims.name),
        preferred_username: claimText(claims.preferred_username),
        custom_claims: { tid: claimText(claims.tid), email: claimText(claims.email) },
      },
    }),
  },
  discord: {
    kind: 'oauth2',
    scopes: ['email', 'identify'],
    base: 'https://discord.com',
    issuer: (base) => base,
    authorization: (base) => `${base}/api/oauth2/authorize`,
    token: (base) => `${base}/api/oauth2/token`,
    profile: (base) => [`${base}/api/users/@me`],
    readAnswers: ([first], base) => {
      const user = asObject(first);
      const subject = claimId(user.id);
      const picture = discordPicture(subject, claimText(user.avatar), Number(user.discriminator));
      return {
        subject,
        emails: oneEmail(user.email, user.verified === true),
        claims: {
          iss: `${base}/api`,
          name: `${claimText(user.username)}#${claimText(user.discriminator)}`,
          full_name: claimText(user.username),
          picture,
          avatar_url: picture,
          custom_claims: { global_name: claimText(user.global_name) },
        },
      };
    },
  },
  facebook: {
    kind: 'oauth2',
    scopes: ['email'],
    base: FACEBOOK,
    issuer: (base) => base,
    authorization: (base) => `${base}/dialog/oauth`,
    token: (base) => `${graphApi(base)}/oauth/access_token`,
    profile: (base, { token, secret }) => {
      const proof = createHmac('sha256', secret).update(token).digest('hex');
      return [`${graphApi(base)}/me?fields=email,first_name,last_name,name,picture&appsecret_proof=${proof}`];
    },
    readAnswers: ([first], base) => {
      const user = asObject(first);
      const subject = claimId(user.id);
      const name = `${claimText(user.first_name)} ${claimText(user.last_name)}`.trim();
      return {
        subject,
        // Facebook returns only confirmed addresses, so the address counts as verified.
        emails: oneEmail(user.email, true),
        claims: {
          iss: graphApi(base),
          ...names(subject, name, asObject(asObject(user.picture).data).url),
          nickname: claimText(user.name),
          slug: claimText(user.name),
        },
      };
    },
    idTokens: {
      hasNoNonce: true,
      issuer: () => FACEBOOK,
      accepts: (issuer) => issuer === FACEBOOK,
      readClaims: (claims) => ({
        subject: claimId(claims.sub),
        emails: oneEmail(claims.email, true),
        claims: { iss: claims.iss, ...standardClaims(claims) },
      }),
    },
  },
};

const githubApi = (base: string): string =>
  base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`;

const graphApi = (base: string): string => (base === FACEBOOK ? 'https://graph.facebook.com' : base);

/** Returns true if the setting `url` of a provider names one tenant. */
export const isTenant = (url: string | null): boolean => url !== null && !SHARED_TENANTS.test(url);

/**
 * Returns true if an address is verified. The administrator of a tenant can give accounts any address. An address
 * therefore counts only if Microsoft reports that the tenant owns the domain, if the account is a personal one, or if
 * the builder trusts the app's only tenant.
 */
function isVerifiedByMicrosoft(claims: Claims, isOwnTenant: boolean): boolean {
  const owned = claims.xms_edov;
  if (owned !== undefined) return owned === '1' || owned === 1 || isTrue(owned);
  return claims.iss === PERSONAL || isOwnTenant;
}

function discordPicture(id: string, avatar: string, discriminator: number): string {
  if (avatar === '') return `https://cdn.discordapp.com/embed/avatars/${(discriminator || 0) % 5}.png`;
  return `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith('a_') ? 'gif' : 'png'}`;
}

/** A provider with the settings that an app has for it. */
export interface Provider {
  /** The name of the provider in identities: `google`, `custom:northwind`. */
  readonly name: string;
  readonly title: string;
  readonly entry: ProviderEntry;
  /** The setting `url` of the provider, without a slash at its end. */
  readonly url: string | null;
  /** The client ids of the app at the provider. The first one is for browsers. */
  readonly clientIds: readonly [string, ...string[]];
  /** The client secret; null for a public client. */
  readonly secret: string | null;
  readonly redirectUri: string;
  readonly isEmailOptional: boolean;
  readonly skipsNonce: boolean;
  readonly usesPkce: boolean;
  /** Parameters that the builder has set for the address of the provider's page. */
  readonly parameters: Readonly<Record<string, string>>;
}
