import type { AppConnection } from '../../contract/admin.ts';
import type { Member } from './clients.ts';

/**
 * Calls `/portal/v1/notifications` as a member.
 * @param path Path below it, with the query.
 */
export async function askNotifications<T>(
  app: AppConnection,
  member: Member,
  path = '',
  method = 'GET',
  body?: unknown,
): Promise<{ status: number; body: T }> {
  const response = await fetch(`${app.url}/portal/v1/notifications${path}`, {
    method,
    headers: {
      apikey: app.publishable_key,
      authorization: `Bearer ${member.session.access_token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}
