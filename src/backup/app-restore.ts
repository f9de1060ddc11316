import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../files/disk.ts';

/** A request to bring one app back from the backups, beside the living apps. */
export interface AppRestoreRequest {
  /** The ref in the backup. */
  readonly ref: string;
  /** ISO 8601 in UTC, with up to six digits of a second. */
  readonly at: string;
  /** The ref of the copy. */
  readonly as: string;
  /** The id of the builder who becomes the owner of the copy; null for the operator. */
  readonly builder: string | null;
}

/** The requests of app restores: one file for each ref of a copy, so a ref is requested once at a time. */
export class AppRestoreRequests {
  readonly #folder: string;

  /** @param folder A folder that the processes of the node share. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(request: AppRestoreRequest): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const draft = join(this.#folder, `.${request.as}`);
    await writeFile(draft, JSON.stringify(request), { mode: 0o600 });
    await rename(draft, join(this.#folder, request.as));
  }

  /** Returns and removes one request; null if there is none. */
  async take(): Promise<AppRestoreRequest | null> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return [];
      throw error;
    });
    const name = names.find((each) => !each.startsWith('.'));
    if (name === undefined) return null;
    const file = join(this.#folder, name);
    const request = JSON.parse(await readFile(file, 'utf8')) as AppRestoreRequest;
    await rm(file);
    return request;
  }
}
