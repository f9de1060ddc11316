import { createHash } from 'node:crypto';
import type { PortalScreens } from '../../../contract/portal.ts';
import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { CALLER_ID } from '../../catalog/screen-conditions.ts';
import { firstJson, plain } from '../../database/statement.ts';
import type { Identity } from '../../identity/identity.ts';
import { chooseLanguage } from '../../mail/language.ts';
import { RememberedByRole } from '../derive/remembered-by-role.ts';
import { portalLanguages } from '../render/portal/member-labels.ts';
import type { Bytes } from './process/tasks.ts';
import type { SpecificationService } from './specification-service.ts';

/** The max number of role sets of an app for which screens are cached. */
const ROLE_SETS = 200;

/**
 * Time in ms from a change to the derivation for the most recent caller, if another change preceded or follows within
 * this time. A change after a longer pause leads to a derivation at once.
 */
const SETTLE_MILLISECONDS = 100;

/** Time in ms after a request during which a change leads to a derivation before the next request. */
const RECENT_MILLISECONDS = 120_000;

/** The screens of one caller as JSON, with a hash of these bytes. */
export interface StoredScreens {
  readonly body: Bytes;
  readonly etag: string;
}

/** The most recent request for the screens of an app. */
interface RecentRequest {
  /** Time of the request, by performance.now(). */
  at: number;
  repeat: () => Promise<unknown>;
}

/**
 * A cache of the screens of callers. An entry is valid until the app's database notifies of a change. While members use
 * the app, the screens of the most recent caller are derived soon after a change, so that the next request need not wait.
 */
export class ScreensOfCallers {
  readonly #specifications: SpecificationService;
  readonly #known = new RememberedByRole<StoredScreens>(ROLE_SETS);
  readonly #languages = new RememberedByRole<readonly string[]>(1);
  readonly #recent = new WeakMap<App, RecentRequest>();

  constructor(specifications: SpecificationService) {
    this.#specifications = specifications;
  }

  /**
   * Returns the screens that the caller may open (`PortalScreens`), with labels in the first language of the request
   * for which the app has labels or the portal has texts.
   * @param acceptLanguage The header Accept-Language.
   * @throws Errors of deriving a specification.
   */
  for(app: App, identity: Pick<Identity, 'role' | 'userId'>, acceptLanguage: string | null): Promise<StoredScreens> {
    const repeat = () => this.#for(app, identity, acceptLanguage);
    const recent = this.#recent.get(app);
    if (recent) Object.assign(recent, { at: performance.now(), repeat });
    else this.#follow(app, { at: performance.now(), repeat });
    return repeat();
  }

  /** Repeats the most recent request after each change of the app. */
  #follow(app: App, recent: RecentRequest): void {
    this.#recent.set(app, recent);
    let timer: NodeJS.Timeout | undefined;
    let changedAt = Number.NEGATIVE_INFINITY;
    app.subscribe(({ type }) => {
      if (type !== 'schema' || performance.now() - recent.at > RECENT_MILLISECONDS) return;
      const isAfterPause = performance.now() - changedAt > SETTLE_MILLISECONDS;
      changedAt = performance.now();
      clearTimeout(timer);
      // No caller awaits this derivation. After an error, the next request derives the screens. The timer runs after all
      // subscribers have removed their cached values.
      const derive = () => app.isOpen && recent.repeat().catch(() => undefined);
      timer = setTimeout(derive, isAfterPause ? 0 : SETTLE_MILLISECONDS).unref();
    });
  }

  async #for(
    app: App,
    { role, userId }: Pick<Identity, 'role' | 'userId'>,
    acceptLanguage: string | null,
  ): Promise<StoredScreens> {
    const [memberRoles, languages] = await Promise.all([
      userId === null ? [] : rolesOf(app, userId),
      this.#languages.get(app, '', () => languagesOf(app)),
    ]);
    const available = [...new Set([...languages, ...portalLanguages])];
    const language = chooseLanguage(available, { locale: null, acceptLanguage, standard: 'en' });
    const stored = await this.#known.get(app, JSON.stringify([role, memberRoles, language]), async () => {
      const body = await this.#specifications.memberScreens(app, { role, memberRoles }, language);
      return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
    });
    return userId === null ? stored : ofCaller(stored, userId);
  }
}

/** Replaces `auth.uid()` in the filters by the id of the caller. The entity tag differs for each caller only if a filter has it. */
function ofCaller({ body, etag }: StoredScreens, userId: string): StoredScreens {
  if (!Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(CALLER_ID)) return { body, etag };
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
  if (filtersOf({ screens, pages }) === filtersOf(all)) return { body, etag };
  return {
    body: new TextEncoder().encode(JSON.stringify({ ...all, screens, pages })),
    etag: `${etag.slice(0, -1)}-${userId}"`,
  };
}

/** Reads the languages in which the app has labels. */
async function languagesOf(app: App): Promise<readonly string[]> {
  const [found] = await runAsServerRole(app.serverDatabase, [
    plain(`select coalesce(json_agg(distinct l.language), '[]') from ninefold.labels l`),
  ]);
  return (found && firstJson<string[]>(found)) ?? [];
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
