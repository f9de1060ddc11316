/**
 * Describes the roles that may make a call in a few words: "any caller", "members", "secret key", or the names of the
 * roles. Pure.
 */
export function callersOf(roles: readonly string[]): string {
  const has = (role: string) => roles.includes(role);
  if (roles.length === 0) return 'no role';
  if (has('anon') && has('authenticated') && has('service_role')) return 'any caller';
  // Every member has the role authenticated, so the roles of members need no mention beside it.
  const named = has('authenticated') ? roles.filter((role) => standard.has(role)) : roles;
  const words = named
    .filter((role) => role !== 'service_role' || named.length === 1)
    .map((role) => callers[role] ?? role);
  return words.join(', ');
}

const callers: Readonly<Record<string, string>> = {
  anon: 'visitors',
  authenticated: 'members',
  service_role: 'secret key',
};
const standard: ReadonlySet<string> = new Set(Object.keys(callers));
