import { limits } from '../../../contract/limits.ts';
import { readSources } from '../../access/read-sources.ts';
import type { Executor } from '../../database/database.ts';
import type { TouchedTable, TouchedTables } from '../changes/touched-tables.ts';

/** Pause after a change before the policies are asked, because changes come in groups. */
const PAUSE_MILLISECONDS = 100;

const MESSAGES = { schema: 'realtime', name: 'messages' };

/**
 * Asks the policies on realtime.messages again: regularly, after a change of the schema, and after a change of a table that
 * they read, such as a table of members.
 */
export class RightsWatch {
  readonly #database: Executor;
  readonly #touched: Pick<TouchedTables, 'watch'>;
  readonly #ask: () => Promise<void>;
  #isStarted = false;
  #unwatch: () => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  /** Number of the last reading of the policies. */
  #reading = 0;
  #isAsking = false;
  #mustAsk = false;
  #askedAt = performance.now();

  /**
   * @param database Connections as the app's authenticator.
   * @param ask Asks the policies about every private channel.
   */
  constructor(database: Executor, touched: Pick<TouchedTables, 'watch'>, ask: () => Promise<void>) {
    this.#database = database;
    this.#touched = touched;
    this.#ask = ask;
  }

  /** Asks the policies if they were not asked for the limit realtimeRightsSeconds. */
  askIfDue(now: number): void {
    if (now - this.#askedAt > limits.realtimeRightsSeconds.default * 1000) void this.#askNow();
  }

  /** Starts with the first private channel. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#follow();
  }

  /** Reads the policies again, and asks them. */
  onSchemaChange(): void {
    if (this.#isStarted) void this.#follow();
    void this.#askNow();
  }

  close(): void {
    this.#isStarted = false;
    this.#reading++;
    this.#unwatch();
    if (this.#timer) clearTimeout(this.#timer);
  }

  /** Without an answer of the database, the policies are asked again only after the limit realtimeRightsSeconds. */
  async #follow(): Promise<void> {
    this.#reading++;
    const reading = this.#reading;
    try {
      const { tables } = await readSources(this.#database, { relations: [MESSAGES], functions: [] });
      const unwatch = await this.#touched.watch(tables.filter(isOther), () => this.#soon());
      if (reading !== this.#reading) {
        unwatch();
        return;
      }
      this.#unwatch();
      this.#unwatch = unwatch;
      // A table may have changed after the policies decided about a channel and before the watch.
      void this.#askNow();
    } catch {
      // The policies are asked again regularly.
    }
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#askNow();
    }, PAUSE_MILLISECONDS).unref();
  }

  async #askNow(): Promise<void> {
    this.#askedAt = performance.now();
    this.#mustAsk = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    // The schema can change again while slow policies are asked.
    while (this.#mustAsk) {
      this.#mustAsk = false;
      await this.#ask();
    }
    this.#isAsking = false;
  }
}

/** Each message changes the table of messages itself. */
const isOther = ({ schema }: TouchedTable): boolean => schema !== MESSAGES.schema;
