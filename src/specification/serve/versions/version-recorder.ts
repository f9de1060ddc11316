import type { Change, VersionCause, VersionList } from '../../../../contract/changes.ts';
import { limits } from '../../../../contract/limits.ts';
import type { App, Notification } from '../../../apps/app.ts';
import type { BackgroundTurns } from '../../../apps/maintenance/background-turns.ts';
import { CONSOLE_REF } from '../../../apps/registry/app-record.ts';
import { ConnectionError } from '../../../database/database-error.ts';
import type { Events } from '../../../observe/events.ts';
import type { Bytes, PageFormat } from '../process/tasks.ts';
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
 * Delays between the last change and the check of the specification, in milliseconds. The check waits, because a script
 * makes several changes, and because its author often requests the specification directly after them, which may take
 * half a second. The worker that has derived the specification for this request checks first. The other workers check
 * after a random delay. While changes continue, a check waits for LONGEST_WAIT_MILLISECONDS at most.
 */
const SETTLE_MILLISECONDS = 2000;
const TURN_MILLISECONDS = 400;
const LONGEST_WAIT_MILLISECONDS = 10_000;
/** How often a recording for a caller is repeated when the app changes meanwhile. */
const ATTEMPTS = 5;

/** Records the versions of each app when the app's database notifies of changes. */
export class VersionRecorder {
  readonly #specifications: SpecificationService;
  readonly #events: Events;
  readonly #ninefold: string;
  readonly #turns: BackgroundTurns;
  readonly #watched = new WeakMap<App, Watch>();

  /**
   * @param parts `turns` limits the background work.
   * @param ninefold The version of Ninefold. Another version may describe an app in other words.
   */
  constructor(
    { specifications, events, turns }: { specifications: SpecificationService; events: Events; turns: BackgroundTurns },
    ninefold: string,
  ) {
    this.#specifications = specifications;
    this.#turns = turns;
    this.#events = events;
    this.#ninefold = ninefold;
  }

  /** Subscribes to the notifications of the app's database and records its changes. */
  watch(app: App): void {
    if (app.ref === CONSOLE_REF) return;
    app.subscribe((notification) => this.#onNotify(app, notification));
  }

  /** Checks an app soon for changes that its database does not notify of. */
  checkSoon(app: App): void {
    if (app.ref !== CONSOLE_REF) this.#checkSoon(app, 'always');
  }

  /**
   * Records a version if the app differs from its latest version.
   * @throws Errors of deriving the specification.
   */
  record(app: App): Promise<void> {
    const watch = this.#watchOf(app);
    // This worker makes its recordings of an app one after another, so that they do not compete.
    const next = watch.last.catch(() => undefined).then(() => this.#record(app, 'always', true));
    watch.last = next;
    return next;
  }

  /**
   * Records a version for a caller whose own work must not fail because of the recording. Errors are reported as
   * events.
   */
  async note(app: App): Promise<void> {
    await this.record(app).catch((error: unknown) => this.#report(app, error));
  }

  /** Records a version if needed, and returns the versions below a number, newest first. */
  async list(app: App, before: number | null): Promise<VersionList> {
    if (before === null) await this.record(app);
    const versions = await listVersions(app.serverDatabase, before);
    const last = versions.at(-1)?.number ?? 1;
    return { versions, next: versions.length === limits.versionsPerPage.default && last > 1 ? last : null };
  }

  /**
   * Records a version if needed, and returns one version with its specification as JSON (a VersionDetail). Returns null
   * if there is no such version.
   */
  async page(app: App, point: VersionPoint): Promise<Bytes | null> {
    await this.record(app);
    const found = await readVersion(app.serverDatabase, point);
    return found && this.#specifications.versionPage(app, found.entry, found.packed);
  }

  /** Returns a version in a format as an export has it; null if there is no such version. Records nothing. */
  async export(app: App, number: number, format: PageFormat, isGzipped: boolean): Promise<Bytes | null> {
    const found = await readVersion(app.serverDatabase, { number });
    return found && this.#specifications.exportVersion(app, found, format, isGzipped);
  }

  /**
   * Records a version if needed, and returns in words the changes from one version to another. If a version does not
   * exist or its facts cannot be read, returns its number.
   */
  async compare(app: App, from: number, to: number): Promise<Change[] | { missing: number }> {
    await this.record(app);
    const before = await readVersion(app.serverDatabase, { number: from });
    if (!before) return { missing: from };
    const after = await readVersion(app.serverDatabase, { number: to });
    if (!after) return { missing: to };
    const changes = await this.#specifications.changesBetween(app, before.packed, after.packed);
    return 'spoilt' in changes ? { missing: changes.spoilt === 'before' ? from : to } : changes;
  }

  #watchOf(app: App): Watch {
    const known = this.#watched.get(app) ?? {
      timer: null,
      since: 0,
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
    if (watch.isWaiting) return;
    const notifiedAt = performance.now();
    if (watch.timer) {
      if (notifiedAt + after > watch.since + LONGEST_WAIT_MILLISECONDS) return;
      clearTimeout(watch.timer);
    } else watch.since = notifiedAt;
    const checkSoon = () => {
      watch.timer = null;
      watch.isWaiting = true;
      const record = async () => {
        const { mode } = watch;
        watch.isWaiting = false;
        // Background work does not open a connection for an idle app. The next worker that opens the app checks the app
        // again.
        if (!app.isOpen) return;
        watch.last = watch.last.catch(() => undefined).then(() => this.#record(app, mode, false));
        await watch.last;
      };
      // A change of which the database has notified is recorded at once. The check of an app that was just opened waits
      // for its turn.
      const recording = watch.mode === 'pending' ? this.#turns.run(record) : record();
      recording.catch((error: unknown) => this.#report(app, error));
    };
    const takeTurn = () => {
      if (this.#specifications.isDerivedSince(app, notifiedAt)) checkSoon();
      else watch.timer = setTimeout(checkSoon, (1 + Math.random()) * TURN_MILLISECONDS).unref();
    };
    watch.timer = setTimeout(takeTurn, after).unref();
  }

  #report(app: App, error: unknown): void {
    // The app was closed, or its database was disconnected. The next worker that opens the app checks the app again.
    if (error instanceof ConnectionError) return;
    this.#events.emit({ type: 'fault', requestId: null, where: `the versions of app ${app.ref}`, error });
  }

  /**
   * Records a version if the mode and the journal require it.
   * @param mode `pending`: only if the journal has new entries, or if another Ninefold version recorded the latest
   * version. Used for an app that was just opened. `unexplained`: also if the database notified of a change without an
   * entry in the journal. `always`: in any case.
   * @param isAsked True if a caller waits for the result. In the background, the specification process gives one worker
   * the turn to record an app, and delays large apps.
   */
  async #record(app: App, mode: Mode, isAsked: boolean): Promise<void> {
    const attempts = isAsked ? ATTEMPTS : 1;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const head = await readHead(app.serverDatabase);
      const isOthers = head.latest !== null && head.latest.ninefold !== this.#ninefold;
      const isNews = head.latest === null || head.pending.length > 0 || isOthers;
      if (!isNews && (mode === 'pending' || (mode === 'unexplained' && head.isExplained))) return;
      const rest = isAsked ? 0 : await this.#specifications.takeRecordingTurn(app);
      if (rest > 0) {
        this.#checkSoon(app, mode, rest);
        return;
      }
      const isRecorded = await this.#specifications.withVersion(app, async (hash, { pack, packFacts }) => {
        if (hash === head.latest?.hash) {
          // The pending entries are marked as without effect only after a notification. At a caller's request, the
          // cached specification may lack the latest change.
          const { number } = head.latest;
          const settles = mode !== 'always' && head.pending.length > 0;
          if (!settles && !isOthers) return true;
          if (settles) await markPendingUnchanged(app.serverDatabase, head, await packFacts());
          if (isOthers) await confirmLatest(app.serverDatabase, number, this.#ninefold);
          return true;
        }
        const previous = head.latest ? await readVersion(app.serverDatabase, { number: head.latest.number }) : null;
        const { changes, packed } = await pack(previous?.packed ?? null);
        const causes: VersionCause[] = head.pending.map(({ id: _, ...cause }) => cause);
        if (isOthers)
          causes.push({ kind: 'ninefold', what: this.#ninefold, actor: 'Ninefold', at: new Date().toISOString() });
        const version = { hash, causes, changes, packed, ninefold: this.#ninefold };
        const isAdded = await addVersion(app.serverDatabase, head, version);
        if (isAdded) await prune(app.serverDatabase);
        return isAdded;
      });
      if (isRecorded) return;
    }
    if (!isAsked) this.#checkSoon(app, mode);
  }
}

/** Each mode includes the previous one. */
const modes = ['pending', 'unexplained', 'always'] as const;
type Mode = (typeof modes)[number];

interface Watch {
  timer: NodeJS.Timeout | null;
  /** The time of the first change for which the timer runs, by performance.now(). */
  since: number;
  /** True from the moment at which the timer ends until the background work for the app begins. */
  isWaiting: boolean;
  /** The mode of the next recording. */
  mode: Mode;
  /** The current or last recording. */
  last: Promise<void>;
}
