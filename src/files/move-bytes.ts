import { type ByteStore, BytesMissingError, type StoredBytes } from './byte-store.ts';
import type { OpenStore } from './open-store.ts';

type Target = Pick<OpenStore, 'store' | 'spool'>;

/** Number of keys that are copied at the same time. */
const PARALLEL = 4;
/** The end of a key that contains the hash of its bytes: `<sha256>.<id>`. */
const hashInKey = /\/([\da-f]{64})\.[\w-]+$/;

/** The keys and bytes that a move has dealt with so far. */
export interface MoveProgress {
  /** Keys that the target had already. */
  readonly present: number;
  readonly copied: number;
  readonly copiedBytes: number;
  /** Keys that were deleted from the source while the move ran. */
  readonly removed: number;
}

/** Error of bytes whose hash is not the one in their key. */
export class BytesDamagedError extends Error {
  override readonly name = 'BytesDamagedError';

  constructor(key: string) {
    super(`The bytes of the key ${key} are damaged: their hash is not the one in the key.`);
  }
}

/**
 * Copies all bytes of a store that another store lacks. It deletes nothing, and a further run copies only what is
 * missing, so it can be repeated after a failure, and while the node still stores files.
 * @param onProgress Receives the counts after each key.
 * @throws BytesDamagedError, or an error of a store. Keys that are being copied are finished before.
 */
export async function moveBytes(
  from: ByteStore,
  to: Target,
  onProgress: (progress: MoveProgress) => void = () => undefined,
): Promise<MoveProgress> {
  const counts = { present: 0, copied: 0, copiedBytes: 0, removed: 0 };
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  try {
    for await (const stored of from.list('')) {
      const run = moveOne(from, to, stored)
        .then((result) => {
          counts[result]++;
          if (result === 'copied') counts.copiedBytes += stored.size;
          onProgress({ ...counts });
        })
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(run));
      running.add(run);
      if (running.size >= PARALLEL) await Promise.race(running);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failures.length > 0) throw failures[0];
  return counts;
}

async function moveOne(
  from: ByteStore,
  { store, spool }: Target,
  { key, size }: StoredBytes,
): Promise<'present' | 'copied' | 'removed'> {
  // A target with another size has a part of the bytes, which `put` replaces.
  if ((await store.size(key)) === size) return 'present';
  const body = await openOrNull(from, key, size);
  if (body === null) return 'removed';
  const file = await spool.receive(body, { maxBytes: size, tooLarge: () => new BytesDamagedError(key) });
  try {
    const [, hash = file.sha256] = hashInKey.exec(`/${key}`) ?? [];
    if (file.size !== size || file.sha256 !== hash) throw new BytesDamagedError(key);
    await store.put(key, file);
  } finally {
    await spool.discard(file);
  }
  return 'copied';
}

async function openOrNull(store: ByteStore, key: string, size: number): Promise<AsyncIterable<Uint8Array> | null> {
  try {
    return await store.read(key, size > 0 ? { start: 0, end: size - 1 } : undefined);
  } catch (error) {
    if (error instanceof BytesMissingError) return null;
    throw error;
  }
}
