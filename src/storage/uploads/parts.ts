import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import { partKey } from '../../apps/files/content-key.ts';
import { deleteUpload as deleteBytesOfUpload } from '../../apps/files/sweep.ts';
import { ConnectionError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { BytesMissingError, type SpooledFile } from '../../files/byte-store.ts';
import type { StorageContext } from '../context.ts';
import {
  type DeletedParts,
  deleteParts,
  deleteUpload,
  hasUpload,
  insertPart,
  type NewPart,
  type OpenUpload,
  type Part,
  readParts,
  replacePart,
} from './rows.ts';

/**
 * Stores a received file as the next part of an upload.
 * @returns false if the upload has a part with this number already, or has ended. Then the file is discarded.
 */
export async function addPart(
  context: StorageContext,
  upload: OpenUpload,
  number: number,
  file: SpooledFile,
): Promise<boolean> {
  const isAdded = await storePart(context, upload, number, file, (part) => insertPart(context, upload, part), Boolean);
  if (isAdded) countBytes(context, upload, file.size);
  return isAdded;
}

/**
 * Stores a received file as a part of an upload, in place of a part with this number.
 * @throws NinefoldError NoSuchUpload if the upload has ended.
 */
export async function putPart(
  context: StorageContext,
  upload: OpenUpload,
  number: number,
  file: SpooledFile,
): Promise<void> {
  const save = (part: NewPart) => replacePart(context, upload, part);
  const replaced = await storePart(context, upload, number, file, save, () => true);
  countBytes(context, upload, file.size);
  if (replaced !== null) await deleteBytes(context, upload, [replaced]);
}

/** Stores the bytes of a part and then its row. Deletes the bytes if the row was refused. */
async function storePart<Saved>(
  context: StorageContext,
  upload: OpenUpload,
  number: number,
  file: SpooledFile,
  save: (part: NewPart) => Promise<Saved>,
  isSaved: (saved: Saved) => boolean,
): Promise<Saved> {
  const { store, spool, app } = context;
  const id = randomUUID();
  try {
    await store.put(partKey(app.ref, upload.id, id), file);
  } catch (cause) {
    await spool.discard(file);
    // The end of the upload deletes the folder into which the part was moved.
    if (!(await hasUpload(context, upload))) throw new NinefoldError('NoSuchUpload', { cause });
    throw cause instanceof NinefoldError ? cause : new NinefoldError('storage_unavailable', { retryAfter: 1, cause });
  }
  let saved: Saved;
  try {
    saved = await save({ number, id, size: file.size, md5: file.md5 });
  } catch (error) {
    // After a lost connection, the row may exist. Then the sweep deletes the bytes if it does not.
    if (!(error instanceof ConnectionError)) await deleteBytes(context, upload, [id]);
    throw error;
  }
  if (!isSaved(saved)) await deleteBytes(context, upload, [id]);
  return saved;
}

/** Reads the parts of an upload one after the other. */
export async function* partBytes(
  { store, app }: Pick<StorageContext, 'store' | 'app'>,
  upload: Pick<OpenUpload, 'id'>,
  parts: readonly Pick<Part, 'id' | 'size'>[],
): AsyncGenerator<Uint8Array, void> {
  for (const { id, size } of parts) {
    if (size === 0) continue;
    try {
      yield* await store.read(partKey(app.ref, upload.id, id), { start: 0, end: size - 1 });
    } catch (cause) {
      // Another request has completed or ended the upload, or replaced the part.
      if (cause instanceof BytesMissingError) throw new NinefoldError('NoSuchUpload', { cause });
      throw cause;
    }
  }
}

/** Returns all parts of a resumable upload. */
export const allParts = (context: StorageContext, upload: OpenUpload): Promise<readonly Part[]> =>
  readParts(context, upload, { after: 0, max: limits.uploadParts.default });

/** Deletes an upload and the bytes of its parts. */
export async function endUpload(context: StorageContext, upload: OpenUpload): Promise<void> {
  await discard(context, upload, await deleteUpload(context, upload));
}

/** Deletes the parts of a complete upload, so that a client can still learn that it is complete. */
export async function freeParts(context: StorageContext, upload: OpenUpload): Promise<void> {
  await discard(context, upload, await deleteParts(context, upload));
}

async function discard(context: StorageContext, upload: OpenUpload, parts: DeletedParts | null): Promise<void> {
  if (parts === null || parts.count === 0) return;
  countBytes(context, upload, -parts.bytes);
  // Parts that were replaced at the same time, or whose row was never written, are deleted too.
  await deleteBytesOfUpload(context.store, context.app.ref, upload.id).catch(() => undefined);
}

const countBytes = (context: StorageContext, { bucket_id, owner_id }: OpenUpload, bytes: number): void =>
  context.usage.add(context, bucket_id, owner_id, bytes);

/** Deletes bytes of parts. The sweep deletes those that remain after an error. */
async function deleteBytes(
  { store, app }: StorageContext,
  upload: Pick<OpenUpload, 'id'>,
  ids: readonly string[],
): Promise<void> {
  await store.delete(ids.map((id) => partKey(app.ref, upload.id, id))).catch(() => undefined);
}
