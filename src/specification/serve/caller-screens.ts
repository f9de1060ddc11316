import type { PortalScreens } from '../../../contract/portal.ts';
import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { CALLER_ID } from '../../catalog/screen-conditions.ts';
import { firstJson, plain } from '../../database/statement.ts';
import { chooseLanguage } from '../../mail/language.ts';
import type { MemberCaller } from '../derive/chapters/roles/roles.ts';
import { portalLanguages } from '../render/portal/member-labels.ts';

/** The caller whose screens are requested. */
export interface ScreensCaller {
  readonly role: string;
  readonly userId: string | null;
  /** A member role that replaces the roles of the member; null for the member's own roles. */
  readonly memberRole: string | null;
}

/** Returns the database role and the member roles of a caller. */
export async function memberCallerOf(app: App, { role, userId, memberRole }: ScreensCaller): Promise<MemberCaller> {
  if (memberRole !== null) return { role, memberRoles: [memberRole] };
  return { role, memberRoles: userId === null ? [] : await rolesOf(app, userId) };
}

/**
 * Chooses the language of the labels: the first language of the request for which the app has labels or the portal has
 * texts.
 * @param languages Result of `labelLanguages`.
 */
export const chooseScreenLanguage = (languages: readonly string[], acceptLanguage: string | null): string =>
  chooseLanguage([...new Set([...languages, ...portalLanguages])], { locale: null, acceptLanguage, standard: 'en' });

/** Reads the languages in which the app has labels. */
export async function labelLanguages(app: App): Promise<readonly string[]> {
  const [found] = await runAsServerRole(app.serverDatabase, [
    plain(`select coalesce(json_agg(distinct l.language), '[]') from ninefold.labels l`),
  ]);
  return (found && firstJson<string[]>(found)) ?? [];
}

/**
 * Replaces `auth.uid()` in the filters of screens by the id of the caller. Returns null if no filter contains it.
 * @param body `PortalScreens` as JSON.
 */
export function withCallerId(body: Uint8Array, userId: string): PortalScreens | null {
  if (!Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(CALLER_ID)) return null;
  const all = JSON.parse(new TextDecoder().decode(body)) as PortalScreens;
  const own = (filter: string | null) => filter?.replaceAll(CALLER_ID, userId) ?? null;
  const screens = all.screens.map((screen) => ({ ...screen, filter: own(screen.filter) }));
  const pages = all.pages.map((page) => ({
    ...page,
    parts: page.parts.map((part) => ('filter' in part ? { ...part, filter: own(part.filter) } : part)),
  }));
  const filtersOf = (of: Pick<PortalScreens, 'screens' | 'pages'>) =>
    JSON.stringify(
      [...of.screens, ...of.pages.flatMap(({ parts }) => parts)].map((one) => 'filter' in one && one.filter),
    );
  return filtersOf({ screens, pages }) === filtersOf(all) ? null : { ...all, screens, pages };
}

/** Reads the member roles of a member. Omits revoked roles, as ninefold.has_role does. */
async function rolesOf(app: App, userId: string): Promise<string[]> {
  const [found] = await runAsServerRole(app.serverDatabase, [
    {
      text: `select coalesce(json_agg(m.role order by m.role), '[]') from ninefold.member_roles m where m.user_id::text = $1`,
      params: [userId],
    },
  ]);
  return (found && firstJson<string[]>(found)) ?? [];
}
