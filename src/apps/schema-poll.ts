import { catalogFingerprint } from '../catalog/catalog-fingerprint.ts';
import type { Pool } from '../database/pool.ts';
import { plain } from '../database/statement.ts';

/** Pause between two looks at the catalog of an open app. */
const LOOK_MILLISECONDS = 1000;

/**
 * Notices changes of an app's schema where PostgreSQL does not notify of them: on a server that refuses event triggers. It
 * looks at the catalog regularly while the app is open.
 */
export class SchemaPoll {
  readonly #database: Pool;
  readonly #ownerPool: () => Pool;
  readonly #onChange: () => void;
  #state: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  /**
   * @param database Connections as the app's server role.
   * @param ownerPool Opens connections as the app's owner, who may create triggers on the app's tables.
   */
  constructor(database: Pool, ownerPool: () => Pool, onChange: () => void) {
    this.#database = database;
    this.#ownerPool = ownerPool;
    this.#onChange = onChange;
  }

  start(): void {
    this.stop();
    this.#timer = setInterval(() => void this.look().catch(() => undefined), LOOK_MILLISECONDS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Looks at the catalog, and reports a change since the last look. The first look is a change. */
  async look(): Promise<void> {
    // A look that is running may have begun before the change of this caller.
    while (this.#looking !== null) await this.#looking.catch(() => undefined);
    this.#looking = this.#look();
    try {
      await this.#looking;
    } finally {
      this.#looking = null;
    }
  }

  async #look(): Promise<void> {
    const state = await catalogFingerprint(this.#database);
    if (state === this.#state) return;
    this.#state = state;
    await this.#followPublication();
    this.#onChange();
  }

  /** Adds the triggers of realtime to published tables. Another worker may do so at the same time, so an error is ignored. */
  async #followPublication(): Promise<void> {
    const pool = this.#ownerPool();
    await pool.run([plain('select ninefold.set_change_triggers()')]).catch(() => undefined);
    await pool.close();
  }
}
