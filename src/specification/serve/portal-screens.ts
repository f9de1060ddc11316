import { createHash } from 'node:crypto';
import type { App } from '../../apps/app.ts';
import { RememberedByRole } from '../derive/remembered-by-role.ts';
import {
  chooseScreenLanguage,
  labelLanguages,
  memberCallerOf,
  type ScreensCaller,
  withCallerId,
} from './caller-screens.ts';
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
  for(app: App, caller: ScreensCaller, acceptLanguage: string | null): Promise<StoredScreens> {
    const repeat = () => this.#for(app, caller, acceptLanguage);
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

  async #for(app: App, caller: ScreensCaller, acceptLanguage: string | null): Promise<StoredScreens> {
    const { userId } = caller;
    const [of, languages] = await Promise.all([
      memberCallerOf(app, caller),
      this.#languages.get(app, '', () => labelLanguages(app)),
    ]);
    const language = chooseScreenLanguage(languages, acceptLanguage);
    const stored = await this.#known.get(app, JSON.stringify([of.role, of.memberRoles, language]), async () => {
      const body = await this.#specifications.memberScreens(app, of, language);
      return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
    });
    return userId === null ? stored : ofCaller(stored, userId);
  }
}

/** Returns the screens for one caller. The entity tag differs for each caller only if a filter contains the caller's id. */
function ofCaller({ body, etag }: StoredScreens, userId: string): StoredScreens {
  const own = withCallerId(body, userId);
  if (own === null) return { body, etag };
  return { body: new TextEncoder().encode(JSON.stringify(own)), etag: `${etag.slice(0, -1)}-${userId}"` };
}
