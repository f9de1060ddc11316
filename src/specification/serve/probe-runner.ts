import { limits } from '../../../contract/limits.ts';
import type { ProbedCell, ProbeReport, ProbeState } from '../../../contract/probe.ts';
import type { App } from '../../apps/app.ts';
import type { Events } from '../../observe/events.ts';
import { probe } from '../probe/probe.ts';
import { probeFiles } from '../probe/probe-files.ts';
import { probeTopics } from '../probe/probe-topics.ts';
import { beginProbe, endProbe, noteProgress, readProbe } from '../probe/store.ts';
import type { SpecificationService } from './specification-service.ts';

/**
 * Runs the probes of apps. All workers together run at most one probe of an app at a time. The reports are stored in
 * the apps' databases.
 */
export class ProbeRunner {
  readonly #specifications: SpecificationService;
  readonly #events: Events;
  readonly #runs = new Set<Promise<void>>();
  #isStopping = false;

  constructor(specifications: SpecificationService, events: Events) {
    this.#specifications = specifications;
    this.#events = events;
  }

  /**
   * Returns the current run, if there is one, and the last report.
   * @throws Errors of the database.
   */
  state(app: App): Promise<ProbeState> {
    return readProbe(app.serverDatabase);
  }

  /**
   * Starts a run unless a run is active, and returns the state.
   * @throws Errors of the database.
   */
  async start(app: App): Promise<ProbeState> {
    const startedAt = await beginProbe(app.serverDatabase);
    if (startedAt !== null) {
      const run = this.#run(app, startedAt)
        .catch((error: unknown) => {
          this.#events.emit({ type: 'fault', requestId: null, where: `the probe of app ${app.ref}`, error });
        })
        .finally(() => this.#runs.delete(run));
      this.#runs.add(run);
    }
    return readProbe(app.serverDatabase);
  }

  /** Stops the runs of this worker. Must be called before the pools of the apps are closed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#runs);
  }

  async #run(app: App, startedAt: string): Promise<void> {
    let report: ProbeReport | null = null;
    let reportedAt = performance.now();
    let reporting: Promise<void> = Promise.resolve();
    // The whole run uses one dedicated connection: PostgreSQL's caches serve all statements, and calls do not wait for
    // the probe.
    const database = app.dedicatedPool();
    try {
      const [{ hash, roles }, facts, { rest }] = await Promise.all([
        this.#specifications.cells(app),
        this.#specifications.facts(app),
        app.settings(),
      ]);
      const cells = await probe(database, facts, roles, {
        extraSearchPath: rest.db_extra_search_path,
        pace: limits.probePaceMilliseconds.default,
        isStopped: () => this.#isStopping,
        onProgress: (done, total) => {
          if (performance.now() - reportedAt < limits.probeTellMilliseconds.default) return;
          reportedAt = performance.now();
          reporting = reporting.then(() => noteProgress(app.serverDatabase, done, total)).catch(() => undefined);
        },
      });
      const files = await probeFiles(database, facts, roles.files ?? [], () => this.#isStopping);
      const topics = await probeTopics(database, facts, roles.topics ?? [], () => this.#isStopping);
      if (!this.#isStopping) report = reportOf({ cells, files, topics }, hash, startedAt);
    } finally {
      await Promise.all([database.close(), reporting]);
      await endProbe(app.serverDatabase, report);
    }
  }
}

function reportOf(
  { cells, files, topics }: Required<Pick<ProbeReport, 'cells' | 'files' | 'topics'>>,
  hash: string,
  startedAt: string,
): ProbeReport {
  const all = [...cells, ...files, ...topics];
  const count = (outcome: ProbedCell['outcome']) => all.filter((cell) => cell.outcome === outcome).length;
  return {
    started_at: startedAt,
    finished_at: new Date().toISOString(),
    hash,
    attempts: all.reduce((sum, cell) => sum + cell.attempts.length, 0),
    agree: count('agrees'),
    disagree: count('disagrees'),
    not_probed: count('not probed'),
    cells: cells.slice(0, limits.probeCells.default),
    ...(files.length > 0 && { files: files.slice(0, limits.probeCells.default) }),
    ...(topics.length > 0 && { topics: topics.slice(0, limits.probeCells.default) }),
  };
}
