import { createHash } from 'node:crypto';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { firstJson } from '../database/statement.ts';
import type { Identity } from '../identity/identity.ts';
import type { Bytes } from './process/tasks.ts';
import { RememberedByRole } from './remembered-by-role.ts';
import type { SpecificationService } from './specification-service.ts';

/** Sets of roles that the screens of an app are remembered for. */
const ROLE_SETS = 200;

/** The screens of one caller as JSON, and the hash of these bytes. */
export interface StoredScreens {
  readonly body: Bytes;
  readonly etag: string;
}

/** The screens that callers of the apps may open, each remembered until the app's database reports a change. */
export class ScreensOfCallers {
  readonly #specifications: SpecificationService;
  readonly #known = new RememberedByRole<StoredScreens>(ROLE_SETS);

  constructor(specifications: SpecificationService) {
    this.#specifications = specifications;
  }

  /** Returns the screens that the caller may open (`PortalScreens`). Throws what deriving a specification throws. */
  async for(app: App, { role, userId }: Pick<Identity, 'role' | 'userId'>): Promise<StoredScreens> {
    const memberRoles = userId === null ? [] : await rolesOf(app, userId);
    return this.#known.get(app, JSON.stringify([role, memberRoles]), async () => {
      const body = await this.#specifications.memberScreens(app, { role, memberRoles });
      return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
    });
  }
}

/** Reads the roles of a member. Like ninefold.has_role, it counts a revoked role no longer. */
async function rolesOf(app: App, userId: string): Promise<string[]> {
  const [found] = await runAsServerRole(app.database, [
    {
      text: `select coalesce(json_agg(m.role order by m.role), '[]') from ninefold.member_roles m where m.user_id::text = $1`,
      params: [userId],
    },
  ]);
  return (found && firstJson<string[]>(found)) ?? [];
}
