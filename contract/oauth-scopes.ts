/** The scopes that an application may ask for, with the access that each gives (OpenID Connect Core 1.0, section 5.4). */
export const oauthScopes = {
  openid: 'The member’s id, in an ID token',
  profile: 'Name, picture and user name',
  email: 'E-mail address',
  phone: 'Phone number',
  offline_access: 'A refresh token, so that the member stays signed in',
} as const;

export type OAuthScope = keyof typeof oauthScopes;

export const oauthScopeNames = Object.keys(oauthScopes) as readonly OAuthScope[];
