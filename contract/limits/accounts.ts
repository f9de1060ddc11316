import type { Limit } from './limit.ts';

/** Accounts and the calls of /auth/v1. */
export const accountLimits = {
  userMetadataBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'The largest user metadata; it is part of every access token, which must fit into urlBytes.',
    code: 'validation_failed',
  },
  appMetadataBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 4 * 1024,
    meaning: 'The largest app metadata of an account; it is part of every access token.',
    code: 'validation_failed',
  },
  authBodyBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 128 * 1024,
    meaning: 'The largest body of a call to /auth/v1.',
    code: 'request_entity_too_large',
  },
  authBodyDepth: {
    group: 'accounts',
    unit: 'count',
    default: 100,
    meaning: 'How deeply objects and arrays may nest in a body of /auth/v1 and of the management API.',
    code: 'bad_json',
  },
  storedJsonDepth: {
    group: 'accounts',
    unit: 'count',
    default: 200,
    meaning: 'How deeply the metadata of an account may nest that SQL has stored.',
    code: 'database_refused',
  },
  authStatementMilliseconds: {
    group: 'accounts',
    unit: 'milliseconds',
    default: 8000,
    meaning:
      'How long one statement of a call to /auth/v1 may run in the database, with the app’s triggers on accounts.',
    code: 'database_refused',
  },
  emailCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 255,
    meaning: 'The longest e-mail address.',
    code: 'validation_failed',
  },
  authTextCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 1024,
    meaning:
      'The longest refresh token, code challenge, or e-mail address with the blanks around it, in a body of /auth/v1.',
    code: 'validation_failed',
  },
  authRoleCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 255,
    meaning: 'The longest role and aud of an account.',
    code: 'validation_failed',
  },
  authFieldCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 64,
    meaning: 'The longest id, phone, ban_duration and code_challenge_method in a body of /auth/v1.',
    code: 'validation_failed',
  },
  usersPerPage: {
    group: 'accounts',
    unit: 'count',
    default: 1000,
    meaning: 'The largest page of the list of users.',
  },
  usersPageDefault: {
    group: 'accounts',
    unit: 'count',
    default: 50,
    meaning: 'Accounts on a page of the list of users, where per_page names no number.',
  },
} as const satisfies Record<string, Limit>;
