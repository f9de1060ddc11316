import type { GaugeName } from '../../contract/metrics.ts';

/**
 * Gauges that parts of the primary process provide, such as the backup. Without a value, `/metrics` contains only the
 * description of a gauge.
 */
export class Gauges {
  readonly #sources = new Map<GaugeName, () => number | null>();

  /**
   * Registers the source of a gauge without labels.
   * @param read Returns the current value in the unit of the metric's name; null if it is not known. Must not throw.
   */
  register(name: GaugeName, read: () => number | null): void {
    this.#sources.set(name, read);
  }

  /** Returns the value of a gauge; null without a source or a value. */
  read(name: GaugeName): number | null {
    return this.#sources.get(name)?.() ?? null;
  }

  /** Returns the gauges that have a value. */
  entries(): [GaugeName, number][] {
    return [...this.#sources].flatMap(([name, read]) => {
      const value = read();
      return value === null ? [] : [[name, value] as [GaugeName, number]];
    });
  }
}
