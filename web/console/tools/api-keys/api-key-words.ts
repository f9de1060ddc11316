import type { ApiKeyEntry } from '../../../../contract/admin.ts';

/** Returns true for the JWTs `anon` and `service_role`. They cannot be rotated, because Ninefold creates no new keys of their kind. */
export const isOlderKind = ({ id }: ApiKeyEntry): boolean => id === 'anon' || id === 'service_role';

/** Describes the access of a key in one sentence. */
export function meaningOf({ kind, revoked_at: revoked }: ApiKeyEntry): string {
  if (revoked !== null) return 'Calls with this key are refused.';
  return kind === 'secret'
    ? 'Reads and changes every row. For servers only.'
    : 'Names the app in calls. It may be part of a public page.';
}

/** Returns the day on which the key was last used. Workers store the day a few seconds after the use. */
export const lastUseWords = ({ last_used_on: day }: ApiKeyEntry): string => day ?? 'never';
