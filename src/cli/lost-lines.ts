/**
 * Adds up the lines of output that the processes of a node could not write. Lines of ended workers still count.
 */
export class LostLines<Worker> {
  readonly #own: () => number;
  readonly #onChange: (total: number) => void;
  readonly #byWorker = new Map<Worker, number>();
  #ofEnded = 0;
  #announced = 0;

  /**
   * @param own Returns the number of lines that this process could not write.
   * @param onChange Called with the new total.
   */
  constructor(own: () => number, onChange: (total: number) => void) {
    this.#own = own;
    this.#onChange = onChange;
  }

  /** Number of lines that all processes together could not write. */
  get total(): number {
    return [...this.#byWorker.values()].reduce((sum, lines) => sum + lines, this.#ofEnded + this.#own());
  }

  /** Stores the number of lines that a running worker could not write. */
  report(worker: Worker, lines: number): void {
    this.#byWorker.set(worker, lines);
    const { total } = this;
    if (total === this.#announced) return;
    this.#announced = total;
    this.#onChange(total);
  }

  onEnded(worker: Worker): void {
    this.#ofEnded += this.#byWorker.get(worker) ?? 0;
    this.#byWorker.delete(worker);
  }
}
