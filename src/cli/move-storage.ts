import { readConfig } from '../compose/configuration.ts';
import type { ByteStore } from '../files/byte-store.ts';
import { moveBytes } from '../files/move-bytes.ts';
import { openEarlier, openTarget } from '../files/open-store.ts';
import { CliError } from './client.ts';
import { bytesInWords } from './print.ts';

/** Keys that are deleted at once. */
const PAGE = 500;
/** Pause between two lines of progress. */
const PROGRESS_MILLISECONDS = 1000;

/**
 * Moves the bytes of all apps from the earlier store to the configured one. The node reads from both until then.
 * @param keeps True to delete nothing from the earlier store.
 * @throws CliError if there is no earlier store.
 */
export async function moveStorage(keeps: boolean): Promise<void> {
  const config = readConfig();
  const earlier = openEarlier(config);
  if (earlier === null) {
    throw new CliError(
      'There is no earlier store: set NINEFOLD_STORAGE_URL to move from the folder, or NINEFOLD_STORAGE_FROM to move from a bucket, and restart the node first.',
    );
  }
  const target = openTarget(config);
  let shownAt = 0;
  const moved = await moveBytes(earlier, target, ({ copied, copiedBytes, present }) => {
    const now = Date.now();
    if (now - shownAt < PROGRESS_MILLISECONDS) return;
    shownAt = now;
    process.stderr.write(`${copied} files copied (${bytesInWords(copiedBytes)}), ${present} there already\n`);
  });
  process.stdout.write(
    `${moved.copied} files copied (${bytesInWords(moved.copiedBytes)}), ${moved.present} there already.\n`,
  );
  if (keeps) return;
  const deleted = await deleteMoved(earlier, target.store);
  process.stdout.write(`${deleted} files deleted from the earlier store.\n`);
}

/** Deletes the bytes that the target has with the same size. Returns their number. */
async function deleteMoved(earlier: ByteStore, target: ByteStore): Promise<number> {
  let deleted = 0;
  let keys: string[] = [];
  const flush = async (): Promise<void> => {
    await earlier.delete(keys);
    deleted += keys.length;
    keys = [];
  };
  for await (const { key, size } of earlier.list('')) {
    if ((await target.size(key)) === size) keys.push(key);
    if (keys.length === PAGE) await flush();
  }
  await flush();
  return deleted;
}
