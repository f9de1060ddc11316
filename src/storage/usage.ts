import { limits } from '../../contract/limits.ts';
import type { StorageSettings } from '../../contract/settings-storage.ts';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { firstJson, type Result } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** An app with its quotas. */
interface Quotas {
  readonly app: Pick<App, 'ref' | 'database' | 'serverDatabase'>;
  readonly settings: StorageSettings;
}

/** A sum of bytes, and the bytes that this worker has added since. */
interface Sum {
  bytes: Promise<number>;
  readAt: number;
  added: number;
}

/** Pause between two sums, as a multiple of the duration of the last one. So summing takes a few percent of the time. */
const PAUSE_FACTOR = 20;
/** Sums that a worker holds. The oldest is removed first. */
const MAX_SUMS = 10_000;

/**
 * Knows how many bytes an app, a bucket and a member store, with the parts of uploads that are not complete. It sums them up every few seconds and counts the uploads of
 * this worker in between. Several workers can therefore exceed a quota by the uploads of these seconds.
 */
export class StorageUsage {
  readonly #sums = new Map<string, Sum>();
  readonly #appBytes: number;

  /** @param appBytes The limit appStorageBytes. */
  constructor(appBytes: number) {
    this.#appBytes = appBytes;
  }

  /**
   * Checks that `bytes` more fit into the quotas of the app, the bucket and the member.
   * @throws NinefoldError QuotaExceeded
   */
  async require(context: Quotas, bucket: string, ownerId: string | null, bytes: number): Promise<void> {
    const { app } = context;
    for (const { key, max, limit, of, read } of this.#quotas(context, bucket, ownerId)) {
      const used = await this.#sum(`${app.ref} ${key}`, read);
      if (used + bytes <= max) continue;
      throw new NinefoldError('QuotaExceeded', { message: `${of} stores as much as ${limit} allows`, limit });
    }
  }

  /** Counts the bytes of an upload of this worker. */
  add({ app }: Pick<Quotas, 'app'>, bucket: string, ownerId: string | null, bytes: number): void {
    for (const key of ['app', `bucket ${bucket}`, `member ${ownerId}`]) {
      const sum = this.#sums.get(`${app.ref} ${key}`);
      if (sum) sum.added += bytes;
    }
  }

  #quotas(context: Quotas, bucket: string, ownerId: string | null) {
    const { app, settings } = context;
    const rows = (column: 'bucket_id' | 'owner_id', value: string) => async () => {
      const [[, objects], [parts]] = await Promise.all([
        app.database.run([
          { text: `select pg_catalog.set_config('role', 'service_role', true)`, params: [], planKey: 'setup' },
          {
            text: `select coalesce(pg_catalog.sum((ninefold.stored_file(o.version)).size), 0)::text::json
              from storage.objects o where o.${column} = $1`,
            params: [value],
            planKey: 'service_role',
          },
        ]),
        runAsServerRole(app.serverDatabase, [
          {
            text: `select coalesce(pg_catalog.sum(p.size), 0)::text::json
              from ninefold.uploads u join ninefold.upload_parts p on p.upload_id = u.id where u.${column} = $1`,
            params: [value],
          },
        ]),
      ]);
      return sumIn(objects) + sumIn(parts);
    };
    return [
      {
        key: 'app',
        max: this.#appBytes,
        limit: 'appStorageBytes',
        of: 'The app',
        read: async () => {
          const [result] = await runAsServerRole(app.serverDatabase, [
            {
              text: `select (coalesce((select pg_catalog.sum(size) from ninefold.stored_files), 0)
                + coalesce((select pg_catalog.sum(size) from ninefold.upload_parts), 0))::text::json`,
              params: [],
            },
          ]);
          return sumIn(result);
        },
      },
      ...(settings.storage_bucket_bytes === 0
        ? []
        : [
            {
              key: `bucket ${bucket}`,
              max: settings.storage_bucket_bytes,
              limit: 'storageBucketBytes' as const,
              of: 'The bucket',
              read: rows('bucket_id', bucket),
            },
          ]),
      ...(settings.storage_member_bytes === 0 || ownerId === null
        ? []
        : [
            {
              key: `member ${ownerId}`,
              max: settings.storage_member_bytes,
              limit: 'storageMemberBytes' as const,
              of: 'The member',
              read: rows('owner_id', ownerId),
            },
          ]),
    ] as const;
  }

  async #sum(key: string, read: () => Promise<number>): Promise<number> {
    const now = performance.now();
    let sum = this.#sums.get(key);
    if (!sum || now > sum.readAt + limits.storageUsageSeconds.default * 1000) {
      const fresh: Sum = { bytes: read(), readAt: now, added: 0 };
      fresh.bytes.then(
        () => {
          fresh.readAt += PAUSE_FACTOR * (performance.now() - now);
        },
        () => this.#sums.delete(key),
      );
      this.#sums.delete(key);
      this.#sums.set(key, fresh);
      if (this.#sums.size > MAX_SUMS) this.#sums.delete(this.#sums.keys().next().value ?? '');
      sum = fresh;
    }
    return (await sum.bytes) + sum.added;
  }
}

const sumIn = (result: Result | undefined): number => Number(result ? firstJson<number>(result) : 0);
