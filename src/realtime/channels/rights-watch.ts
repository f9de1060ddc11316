import { readSources } from '../../access/read-sources.ts';
import type { Executor } from '../../database/database.ts';
import type { TouchedTable, TouchedTables } from '../changes/touched-tables.ts';

/** Pause after a change before the policies are asked, because changes come in groups. */
const PAUSE_MILLISECONDS = 100;

const MESSAGES = { schema: 'realtime', name: 'messages' };

/** Follows the tables that the policies on realtime.messages read, such as a table of members. */
export class RightsWatch {
  readonly #database: Executor;
  readonly #touched: Pick<TouchedTables, 'watch'>;
  readonly #onChange: () => void;
  #isStarted = false;
  #unwatch: () => void = () => undefined;
  #timer: NodeJS.Timeout | null = null;
  /** Number of the last reading of the policies. */
  #reading = 0;

  /**
   * @param database Connections as the app's authenticator.
   * @param onChange Called soon after a change of one of the tables.
   */
  constructor(database: Executor, touched: Pick<TouchedTables, 'watch'>, onChange: () => void) {
    this.#database = database;
    this.#touched = touched;
    this.#onChange = onChange;
  }

  /** Starts with the first private channel. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#follow();
  }

  /** Reads the policies again. */
  onSchemaChange(): void {
    if (this.#isStarted) void this.#follow();
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
    } catch {
      // The policies are asked again regularly.
    }
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#onChange();
    }, PAUSE_MILLISECONDS).unref();
  }
}

/** Each message changes the table of messages itself. */
const isOther = ({ schema }: TouchedTable): boolean => schema !== MESSAGES.schema;
