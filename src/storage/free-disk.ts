import { NinefoldError } from '../errors/ninefold-error.ts';
import { diskSpace } from '../files/disk.ts';

/** Time for which a measurement of the free disk is used. */
const FRESH_MILLISECONDS = 1000;
/** Seconds after which a client may try again when the disk is full. */
const RETRY_SECONDS = 60;

/** Refuses uploads while the disk of the node has too little free space. */
export class FreeDisk {
  readonly #folder: string;
  readonly #percent: number;
  #measured: Promise<{ total: number; free: number }> | null = null;
  #measuredAt = 0;

  /**
   * @param folder A folder of the disk to which uploads are written.
   * @param percent The part of the disk that uploads leave free.
   */
  constructor(folder: string, percent: number) {
    this.#folder = folder;
    this.#percent = percent;
  }

  /**
   * Checks that an upload leaves enough space.
   * @param bytes The announced size; 0 if unknown.
   * @throws NinefoldError disk_full
   */
  async require(bytes: number): Promise<void> {
    const now = performance.now();
    if (this.#measured === null || now - this.#measuredAt > FRESH_MILLISECONDS) {
      this.#measuredAt = now;
      this.#measured = diskSpace(this.#folder);
    }
    const { total, free } = await this.#measured;
    if (free - bytes >= (total * this.#percent) / 100) return;
    throw new NinefoldError('disk_full', { retryAfter: RETRY_SECONDS, limit: 'storageFreePercent' });
  }
}
