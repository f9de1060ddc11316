import { randomUUID } from 'node:crypto';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import { contentKey } from '../../apps/files/content-key.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { ConnectionError, DatabaseError, PoolTimeoutError } from '../../database/database-error.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { SpooledFile } from '../../files/byte-store.ts';
import type { Identity } from '../../identity/identity.ts';
import { type Bucket, requireBucket } from '../buckets/bucket.ts';
import type { StorageContext } from '../context.ts';
import { asAdmin, asCaller, asService, runActs } from '../run.ts';
import { requireAllowedType } from './content-types.ts';
import type { ObjectPlace } from './object.ts';

/** The description that a client sends with a file. */
export interface FileDetails {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly contentEncoding: string | null;
  readonly userMetadata: Readonly<Record<string, unknown>> | null;
}

/** One upload of a file to a place. */
export interface Upload {
  readonly place: ObjectPlace;
  readonly operation: string;
  /** The caller whose policies decide; the service role for a signed upload URL. */
  readonly as: Identity;
  /** The values of the columns owner and owner_id. */
  readonly owner: string | null;
  readonly ownerId: string | null;
  readonly isUpsert: boolean;
  /** The signed upload URL, which is valid once. */
  readonly token?: { readonly id: string; readonly expiresAt: number };
  /** The upload in parts that the object completes, and the bytes of its parts, which the quotas count already. */
  readonly parts?: { readonly uploadId: string; readonly bytes: number };
}

/** The object that an upload wrote. */
export interface WrittenObject {
  readonly id: string;
  readonly version: string;
  readonly eTag: string;
  readonly size: number;
}

/**
 * Checks before the bytes are read that an upload may succeed: the policies, by a row that is rolled back; the rules of
 * the bucket; the quotas; the free disk.
 * @param file The details of the file; null if they are not known yet.
 * @param announced The size that the client announces; null if it announces none.
 * @param isAlwaysTried True to ask the policies for small files too, because the bytes arrive later.
 * @throws NinefoldError
 */
export async function admitUpload(
  context: StorageContext,
  request: CallRequest,
  upload: Upload,
  file: Pick<FileDetails, 'contentType'> | null,
  announced: number | null = null,
  isAlwaysTried = false,
): Promise<{ readonly bucket: Bucket; readonly maxBytes: number }> {
  if (context.app.isFull) throw storageFull();
  const isEarly = isAlwaysTried || announced === null || announced > limits.earlyPolicyBytes.default;
  const row = {
    id: randomUUID(),
    metadata: { contentLength: announced, size: announced, mimetype: file?.contentType },
    userMetadata: null,
  };
  const bucket = await requireBucket(context, request, upload.place.bucket, {
    operation: upload.operation,
    trying: isEarly ? [asCaller(upload.as, writeRow(upload, row))] : [],
  });
  if (file) await requireAllowedType(bucket, file.contentType, null);
  const maxBytes = Math.min(bucket.file_size_limit ?? Number.MAX_SAFE_INTEGER, context.settings.storage_file_bytes);
  if (announced !== null && announced > maxBytes) throw tooLarge();
  const size = newBytes(upload, announced ?? 0);
  await Promise.all([context.usage.require(context, bucket.id, upload.ownerId, size), context.disk.require(size)]);
  return { bucket, maxBytes };
}

/** Returns the bytes of a file that the quotas do not count yet. */
const newBytes = ({ parts }: Upload, size: number): number => Math.max(0, size - (parts?.bytes ?? 0));

export const tooLarge = (): NinefoldError => new NinefoldError('EntityTooLarge');

/**
 * Stores a received file and writes its row: first the bytes, then one transaction that makes the row name them.
 * Removes the file if the row is refused.
 * @throws NinefoldError
 */
export async function storeObject(
  context: StorageContext,
  request: CallRequest,
  upload: Upload,
  file: SpooledFile,
  details: FileDetails & { /** Entity tag in quotes; the hash of the file by default. */ readonly eTag?: string },
  bucket: Bucket,
): Promise<WrittenObject> {
  const { store, spool, app, usage, settings } = context;
  const { place, ownerId } = upload;
  const content = { id: randomUUID(), sha256: file.sha256 };
  const key = contentKey(app.ref, content);
  const eTag = details.eTag ?? `"${file.sha256}"`;
  try {
    await requireAllowedType(bucket, details.contentType, file.head);
    await usage.require(context, place.bucket, ownerId, newBytes(upload, file.size));
    await store.put(key, file).catch((cause: unknown) => {
      throw cause instanceof NinefoldError ? cause : new NinefoldError('storage_unavailable', { retryAfter: 1, cause });
    });
  } catch (error) {
    await spool.discard(file);
    throw error;
  }
  const metadata = {
    eTag,
    size: file.size,
    mimetype: details.contentType,
    cacheControl: details.cacheControl,
    ...(details.contentEncoding !== null && { contentEncoding: details.contentEncoding }),
    lastModified: new Date().toISOString(),
    contentLength: file.size,
    httpStatusCode: 200,
  };
  const row = { id: randomUUID(), metadata, userMetadata: details.userMetadata };
  const [kept, , , , written] = await runActs(
    context,
    request,
    { operation: upload.operation },
    asAdmin(keepFile(content.id, file, settings.storage_quarantine)),
    asCaller(upload.as, writeRow(upload, row)),
    asAdmin(useToken(upload), completeParts(upload)),
    asService({
      text: `select json_build_object('id', o.id, 'version', o.version) from storage.objects o
        where o.bucket_id = $1 and o.name = $2`,
      params: [place.bucket, place.name],
    }),
  ).catch(async (error: unknown) => {
    // The bytes of a row that may exist stay until the sweep finds that no row names them.
    if (isUndone(error)) await store.delete([key]).catch(() => undefined);
    throw error;
  });
  const version = kept?.rows[0]?.[0]?.toString() ?? '';
  const object = written && firstJson<{ id: string; version: string }>(written);
  if (version !== content.id) void store.delete([key]).catch(() => undefined);
  else usage.add(context, place.bucket, ownerId, file.size);
  if (object?.version !== version) {
    // The transaction has recorded the bytes, so only the sweep may delete them.
    await noteUnused(context, version);
    throw new NinefoldError('database_refused', { message: 'A trigger of this app dropped the row of the object.' });
  }
  return { id: object.id, version, eTag, size: file.size };
}

/** SQLSTATE of a session that was ended. PostgreSQL does not end a session between a commit and its confirmation. */
const ENDED = '57P01';

/** Returns true for the error of a transaction that PostgreSQL rolled back or never began. */
const isUndone = (error: unknown): boolean =>
  error instanceof NinefoldError ||
  error instanceof DatabaseError ||
  error instanceof PoolTimeoutError ||
  (error instanceof ConnectionError && (error.isSafeToRetry || error.sqlstate === ENDED));

/** Makes the sweep delete a content unless an object has it. If this fails, the search for unused contents finds it. */
async function noteUnused({ app }: StorageContext, id: string): Promise<void> {
  await runAsServerRole(app.serverDatabase, [
    { text: 'insert into ninefold.unused_files (id) values ($1::uuid)', params: [id] },
  ]).catch(() => undefined);
}

/** Records the bytes and makes their id available to the statement that writes the row. */
const keepFile = (id: string, { sha256, size, md5 }: SpooledFile, isQuarantined: boolean): Statement => ({
  text: `select pg_catalog.set_config('ninefold.file',
    ninefold.keep_file($1::uuid, decode($2, 'hex'), $3::bigint, decode(nullif($4, ''), 'hex'), $5::boolean)::text, true)`,
  params: [id, sha256, String(size), md5, String(isQuarantined)],
});

/** Stands for a step that an upload does not need, so that the results keep their places. */
const nothing: Statement = { text: '', params: [] };

const useToken = ({ token }: Upload): Statement =>
  token
    ? {
        text: 'select ninefold.use_upload_token($1::uuid, pg_catalog.to_timestamp($2::float8))',
        params: [token.id, String(token.expiresAt)],
      }
    : nothing;

const completeParts = ({ parts }: Upload): Statement =>
  parts ? { text: 'select ninefold.complete_upload($1::uuid)', params: [parts.uploadId] } : nothing;

interface NewRow {
  readonly id: string;
  readonly metadata: object;
  readonly userMetadata: object | null;
}

/** The end of an INSERT that replaces the object with this path. */
export const REPLACING = ` on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
  metadata = excluded.metadata, user_metadata = excluded.user_metadata, version = excluded.version,
  updated_at = pg_catalog.now(), last_accessed_at = pg_catalog.now()`;

/** Writes the row of an object. The policies of the caller decide, as for every INSERT and UPDATE. */
const writeRow = ({ place, owner, ownerId, isUpsert }: Upload, { id, metadata, userMetadata }: NewRow): Statement => ({
  text: `insert into storage.objects (id, bucket_id, name, owner, owner_id, metadata, user_metadata, version)
    values ($1::uuid, $2, $3, $4::uuid, $5, $6::jsonb, $7::jsonb, pg_catalog.current_setting('ninefold.file', true))${isUpsert ? REPLACING : ''}`,
  params: [id, place.bucket, place.name, owner, ownerId, JSON.stringify(metadata), JSON.stringify(userMetadata ?? {})],
});
