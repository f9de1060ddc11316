import type { HookName } from '../../../contract/hooks.ts';

/** Maximum number of durations that are retained for a hook. */
const RETAINED_DURATIONS = 16;

/** The durations of the last calls of an app's hooks in this worker. */
export class HookDurations {
  readonly #byHook = new Map<HookName, readonly number[]>();

  add(name: HookName, milliseconds: number): void {
    this.#byHook.set(name, [milliseconds, ...(this.#byHook.get(name) ?? [])].slice(0, RETAINED_DURATIONS));
  }

  /** Returns the duration of one of the last calls, chosen at random; undefined without a call. */
  ofAnyCall(name: HookName): number | undefined {
    const known = this.#byHook.get(name) ?? [];
    return known[Math.floor(Math.random() * known.length)];
  }
}
