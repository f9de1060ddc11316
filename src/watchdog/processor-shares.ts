import { byApp } from './breaches.ts';
import type { Processes } from './processes.ts';
import type { Session } from './sessions.ts';

/** Time constant over which processor use is averaged. */
const AVERAGE_MILLISECONDS = 1000;
/** Share of a processor above which an app counts as working. */
const WORKING = 1 / 200;
/**
 * Factor by which an app must exceed the average use of the working apps. So of two apps with the same use, none is
 * slowed down.
 */
const MARGIN = 1.2;

/**
 * Lowers the priority of the processes of an app that uses more processor time than its share and than the other
 * working apps, so that their requests run first. An app that works alone keeps its priority, because with a low
 * priority it would wait for Ninefold's own processes.
 */
export class ProcessorShares {
  readonly #processes: Processes;
  /** Limit as a share of one processor: 0.5 is half of a processor. */
  readonly #share: number;
  readonly #times = new Map<number, number>();
  readonly #averages = new Map<string, number>();
  readonly #low = new Set<number>();
  readonly #ending = new Set<number>();
  #last = 0;

  constructor(processes: Processes, share: number) {
    this.#processes = processes;
    this.#share = share;
  }

  update(sessions: readonly Session[], now: number): void {
    const elapsed = now - this.#last;
    this.#last = now;
    const weight = 1 - Math.exp(-elapsed / AVERAGE_MILLISECONDS);
    const used = this.#usedSince(sessions);
    const apps = byApp(sessions);
    for (const app of new Set([...apps.keys(), ...this.#averages.keys()])) {
      const average = this.#averages.get(app) ?? 0;
      const next = average + weight * ((used.get(app) ?? 0) / elapsed - average);
      if (apps.has(app) || next > this.#share / 100) this.#averages.set(app, next);
      else this.#averages.delete(app);
    }
    const working = [...this.#averages.values()].filter((average) => average > WORKING);
    const mean = working.reduce((sum, average) => sum + average, 0) / working.length;
    for (const [app, group] of apps) {
      const average = this.#averages.get(app) ?? 0;
      for (const { pid } of group) {
        const isLow = this.#low.has(pid);
        // A process that is about to be ended keeps its restored priority. For other processes, the priority is
        // restored only well below the share, so that it does not change at every check.
        if (this.#ending.has(pid)) continue;
        if (!isLow && average > this.#share && average > mean * MARGIN) this.#set(pid, true);
        else if (isLow && (average < this.#share / 2 || average <= mean)) this.#set(pid, false);
      }
    }
  }

  /**
   * Restores the priority of processes that are about to be ended. With a low priority, they could take seconds to
   * notice that they must end, and to release their locks.
   */
  hasten(pids: readonly number[]): void {
    for (const pid of pids) {
      this.#ending.add(pid);
      if (this.#low.has(pid)) this.#set(pid, false);
    }
  }

  /** Returns the processor milliseconds of each app since the last check. */
  #usedSince(sessions: readonly Session[]): Map<string, number> {
    const used = new Map<string, number>();
    const alive = new Set<number>();
    for (const { pid, app, state, stateMilliseconds } of sessions) {
      alive.add(pid);
      // An idle process uses no processor time, and reading its figures costs more than the rest of this function.
      if (state === 'idle' && stateMilliseconds > AVERAGE_MILLISECONDS) continue;
      const time = this.#processes.processorMilliseconds(pid);
      used.set(app, (used.get(app) ?? 0) + Math.max(0, time - (this.#times.get(pid) ?? time)));
      this.#times.set(pid, time);
    }
    for (const pid of this.#times.keys()) if (!alive.has(pid)) this.#times.delete(pid);
    for (const pids of [this.#low, this.#ending]) for (const pid of pids) if (!alive.has(pid)) pids.delete(pid);
    return used;
  }

  #set(pid: number, isLow: boolean): void {
    this.#processes.setLowPriority(pid, isLow);
    if (isLow) this.#low.add(pid);
    else this.#low.delete(pid);
  }
}
