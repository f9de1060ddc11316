import { createHash } from 'node:crypto';
import type { App } from '../apps/app.ts';
import { asServer } from '../apps/as-server.ts';
import { firstJson } from '../database/statement.ts';
import type { Identity } from '../identity/identity.ts';
import type { Bytes } from './process/tasks.ts';
import { RememberedByRole } from './remembered-by-role.ts';
import type { Specifier } from './specifier.ts';

/** Sets of roles that the screens of an app are remembered for. */
const ROLE_SETS = 200;

/** The screens of one caller as JSON, and the hash of these bytes. */
export interface StoredScreens {
  readonly body: Bytes;
  readonly etag: string;
}

/** The screens that callers of the apps may open, each remembered until the app's database reports a change. */
export class ScreensOfCallers {
  readonly #specifier: Specifier;
  readonly #known = new RememberedByRole<StoredScreens>(ROLE_SETS);

  constructor(specifier: Specifier) {
    this.#specifier = specifier;
  }

  /** Returns the screens that the caller may open (`PortalScreens`). Throws what deriving a specification throws. */
  async for(app: App, { role, userId }: Pick<Identity, 'role' | 'userId'>): Promise<StoredScreens> {
    const memberRoles = userId === null ? [] : await rolesOf(app, userId);
    return this.#known.get(app, JSON.stringify([role, memberRoles]), async () => {
      const body = await this.#specifier.memberScreens(app, { role, memberRoles });
      return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
    });
  }
}

/** Reads the roles of a member. Like ninefold.has_role, it counts a revoked role no longer. */
async function rolesOf(app: App, userId: string): Promise<string[]> {
  const [found] = await asServer(app.database, [
    {
      text: `select coalesce(json_agg(m.role order by m.role), '[]') from ninefold.member_roles m where m.user_id::text = $1`,
      params: [userId],
    },
  ]);
  return (found && firstJson<string[]>(found)) ?? [];
}
