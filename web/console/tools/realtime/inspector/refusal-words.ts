import type { PolicyEntry, RolesChapter } from '../../../../../contract/specification-roles.ts';

/** A join that the server refused: the channel and the caller. */
export interface RefusedJoin {
  topic: string;
  /** The role of the caller; null for the service key. */
  role: string | null;
}

/**
 * Returns the reason of a refused join with the rule behind it. Pure.
 * @param reason The words of the server, which begin with the code.
 */
export function refusalWords(reason: string, { topic, role }: RefusedJoin, roles: RolesChapter | undefined): string {
  if (reason.startsWith('PrivateOnly')) return 'The setting “Private channels only” refuses public channels.';
  if (!reason.startsWith('Unauthorized')) return reason;
  const reading = (roles?.policies ?? []).filter(
    ({ entity, command }) => entity === 'realtime.messages' && (command === 'select' || command === 'all'),
  );
  const own = reading.filter((policy) => role !== null && (policy.roles.includes(role) || isOfAll(policy)));
  const who = role ?? 'this caller';
  if (reading.length === 0)
    return `No policy for SELECT on realtime.messages exists, so ${who} joins no private channel.`;
  if (own.length === 0)
    return `No policy for SELECT on realtime.messages is for ${who}. The policies are for ${rolesOf(reading)}.`;
  const rules = own.map(({ name, words }) => `“${name}” lets join if ${words}`).join('; ');
  return `No policy lets ${who} join “${topic}”: ${rules}.`;
}

const isOfAll = ({ roles }: PolicyEntry): boolean => roles.includes('public');

const rolesOf = (policies: readonly PolicyEntry[]): string =>
  [...new Set(policies.flatMap(({ roles }) => roles))].join(', ');
