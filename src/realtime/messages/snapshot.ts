/** The transactions that a statement sees (PostgreSQL manual, “Transaction ID and Snapshot Information Functions”). */
export class Snapshot {
  /** The output of `pg_current_snapshot()`: `xmin:xmax:xip_list`. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The first transaction id that was not assigned. */
  get firstFuture(): string {
    return this.text.split(':')[1] ?? '0';
  }

  /** The transactions that were running, separated by commas. */
  get running(): string {
    return this.text.split(':')[2] ?? '';
  }
}
