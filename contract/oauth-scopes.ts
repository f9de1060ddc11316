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

/** The claims of the scope `profile` that are texts (OpenID Connect Core 1.0, section 5.1). */
export const profileClaims: readonly string[] = [
  ...['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
  ...['website', 'gender', 'birthdate', 'zoneinfo', 'locale'],
];
