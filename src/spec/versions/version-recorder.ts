import type { Change, VersionCause, VersionList } from '../../../contract/changes.ts';
import { limits } from '../../../contract/limits.ts';
import type { App, Notification } from '../../apps/app.ts';
import { CONSOLE_REF } from '../../apps/app-record.ts';
import type { BackgroundTurns } from '../../apps/background-turns.ts';
import { rethrowAsAppDamaged } from '../../apps/damaged-app.ts';
import { type Server, superuserIn, withPool } from '../../apps/server.ts';
import type { Executor } from '../../database/database.ts';
import { ConnectionError } from '../../database/database-error.ts';
import type { Events } from '../../observe/events.ts';
import type { Bytes } from '../process/tasks.ts';
import type { SpecificationService } from '../specification-service.ts';
import {
  addVersion,
  confirmLatest,
  listVersions,
  markPendingUnchanged,
  prune,
  readHead,
  readVersion,
  type VersionPoint,
} from './store.ts';

/**
 * How long after a change the specification is looked at: a script makes many changes, and whoever made one looks at it first, which may take
 * half a second. The worker that has derived it for them goes first, then the others that heard of it, in turns by chance: the first
 * spares the others the work.
 */
const SETTLE_MILLISECONDS = 900;
const TURN_MILLISECONDS = 400;
const ATTEMPTS = 5;

/** Records what each app does, version by version, as its database tells of changes. */
export class VersionRecorder {
  readonly #specifications: SpecificationService;
  readonly #events: Events;
  readonly #ninefold: string;
  readonly #server: Server;
  readonly #turns: BackgroundTurns;
  readonly #watched = new WeakMap<App, Watch>();

  /**
   * @param parts `turns` says when to record in the background.
   * @param ninefold The version of Ninefold itself, which describes what an app does in its own words.
   */
  constructor(
    {
      server,
      specifications,
      events,
      turns,
    }: { server: Server; specifications: SpecificationService; events: Events; turns: BackgroundTurns },
    ninefold: string,
  ) {
    this.#server = server;
    this.#specifications = specifications;
    this.#turns = turns;
    this.#events = events;
    this.#ninefold = ninefold;
  }

  /** From now on every change that the app's database tells of is recorded. */
  watch(app: App): void {
    if (app.ref === CONSOLE_REF) return;
    app.subscribe((notification) => this.#onNotify(app, notification));
  }

  /** Looks at an app soon, as something may have changed that its database does not tell of. */
  checkSoon(app: App): void {
    if (app.ref !== CONSOLE_REF) this.#checkSoon(app, 'always');
  }

  /** Records the app as it stands, where that differs from its latest version. Throws what deriving it throws. */
  record(app: App): Promise<void> {
    const watch = this.#watchOf(app);
    // One after the other, so that a worker never competes with itself.
    const next = watch.last.catch(() => undefined).then(() => this.#record(app, 'always', true));
    watch.last = next;
    return next;
  }

  /** The same for work that must not fail because of it: what went wrong is reported. */
  async note(app: App): Promise<void> {
    await this.record(app).catch((error: unknown) => this.#report(app, error));
  }

  /** The versions below a number, the newest first, after what stands now was recorded. */
  async list(app: App, before: number | null): Promise<VersionList> {
    if (before === null) await this.record(app);
    const versions = await listVersions(app.database, before);
    const last = versions.at(-1)?.number ?? 1;
    return { versions, next: versions.length === limits.versionsPerPage.default && last > 1 ? last : null };
  }

  /** One version with its specification, as JSON (a VersionDetail); null where there is none. Records first what stands now. */
  async page(app: App, point: VersionPoint): Promise<Bytes | null> {
    await this.record(app);
    const found = await readVersion(app.database, point);
    return found && this.#specifications.versionPage(app, found.entry, found.packed);
  }

  /** What changed from one version to another, in words; the number of one that is not there, or holds no chapters. Records first what stands now. */
  async compare(app: App, from: number, to: number): Promise<Change[] | { missing: number }> {
    await this.record(app);
    const before = await readVersion(app.database, { number: from });
    if (!before) return { missing: from };
    const after = await readVersion(app.database, { number: to });
    if (!after) return { missing: to };
    const changes = await this.#specifications.changesBetween(before, after);
    return 'spoilt' in changes ? { missing: changes.spoilt === 'before' ? from : to } : changes;
  }

  #watchOf(app: App): Watch {
    const known = this.#watched.get(app) ?? {
      timer: null,
      isWaiting: false,
      mode: 'pending',
      last: Promise.resolve(),
    };
    this.#watched.set(app, known);
    return known;
  }

  #onNotify(app: App, { type }: Notification): void {
    const watch = this.#watchOf(app);
    if (type === 'disconnected') {
      if (watch.timer) clearTimeout(watch.timer);
      watch.timer = null;
    } else if (type === 'schema' || type === 'settings' || type === 'listening') {
      this.#checkSoon(app, type === 'listening' ? 'pending' : 'unexplained');
    }
  }

  #checkSoon(app: App, mode: Mode, after = SETTLE_MILLISECONDS): void {
    const watch = this.#watchOf(app);
    const isDue = watch.timer !== null || watch.isWaiting;
    if (!isDue || modes.indexOf(mode) > modes.indexOf(watch.mode)) watch.mode = mode;
    if (isDue) return;
    const notifiedAt = performance.now();
    const checkSoon = () => {
      watch.timer = null;
      watch.isWaiting = true;
      const record = async () => {
        const { mode } = watch;
        watch.isWaiting = false;
        // An idle app gets no connection for this: whoever opens it next looks again.
        if (!app.isOpen) return;
        watch.last = watch.last.catch(() => undefined).then(() => this.#record(app, mode, false));
        await watch.last;
      };
      // A change is recorded at once. What an app that was just opened may have missed waits for its turn.
      const recording = watch.mode === 'pending' ? this.#turns.run(record) : record();
      recording.catch((error: unknown) => this.#report(app, error));
    };
    const takeTurn = () => {
      if (this.#specifications.isDerivedSince(app, notifiedAt)) checkSoon();
      else watch.timer = setTimeout(checkSoon, (1 + Math.random()) * TURN_MILLISECONDS).unref();
    };
    watch.timer = setTimeout(takeTurn, after).unref();
  }

  /** Writes as the superuser: every other role is one that the app's own SQL can become. */
  #write<T>(app: App, work: (superuser: Executor) => Promise<T>): Promise<T> {
    return withPool(superuserIn(this.#server, app.record.database), work).catch(rethrowAsAppDamaged);
  }

  #report(app: App, error: unknown): void {
    // The app closed or its database left: the next one who opens it looks again.
    if (error instanceof ConnectionError) return;
    this.#events.emit({ type: 'fault', requestId: null, where: `the versions of app ${app.ref}`, error });
  }

  /**
   * `pending`: only where the journal holds something new, or another Ninefold has looked last, for an app that was just opened.
   * `unexplained`: also where a change was told that no entry of the journal accounts for. `isAsked`: somebody waits for it; in the background
   * a large app is recorded only once in a while.
   */
  async #record(app: App, mode: Mode, isAsked: boolean): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const head = await readHead(app.database);
      const isOthers = head.latest !== null && head.latest.ninefold !== this.#ninefold;
      const isNews = head.latest === null || head.pending.length > 0 || isOthers;
      if (!isNews && (mode === 'pending' || (mode === 'unexplained' && head.isExplained))) return;
      const rest = isAsked ? 0 : await this.#specifications.recordingDelay(app);
      if (rest > 0) {
        this.#checkSoon(app, mode, rest);
        return;
      }
      const isRecorded = await this.#specifications.withVersion(app, async (hash, { pack, packIds }) => {
        if (hash === head.latest?.hash) {
          // What a caller asks for may not have been heard of yet; what the database told of has.
          const { number } = head.latest;
          const settles = mode !== 'always' && head.pending.length > 0;
          if (!settles && !isOthers) return true;
          const ids = settles ? await packIds() : null;
          await this.#write(app, async (superuser) => {
            if (ids !== null) await markPendingUnchanged(superuser, head, ids);
            if (isOthers) await confirmLatest(superuser, number, this.#ninefold);
          });
          return true;
        }
        const previous = head.latest ? await readVersion(app.database, { number: head.latest.number }) : null;
        const { changes, packed, ids } = await pack(previous);
        const causes: VersionCause[] = head.pending.map(({ id: _, ...cause }) => cause);
        if (isOthers)
          causes.push({ kind: 'ninefold', what: this.#ninefold, who: 'Ninefold', at: new Date().toISOString() });
        const version = { hash, causes, changes, packed, ids, ninefold: this.#ninefold };
        return this.#write(app, async (superuser) => {
          const isAdded = await addVersion(superuser, head, version);
          if (isAdded) await prune(superuser);
          return isAdded;
        });
      });
      if (isRecorded) return;
    }
  }
}

/** Each records what the one before does, and more. */
const modes = ['pending', 'unexplained', 'always'] as const;
type Mode = (typeof modes)[number];

interface Watch {
  timer: NodeJS.Timeout | null;
  /** True from the end of the timer until the background has a turn for the app. */
  isWaiting: boolean;
  /** What is done then. */
  mode: Mode;
  /** The recording under way, or the last one. */
  last: Promise<void>;
}
