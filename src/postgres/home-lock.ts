import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { startOf } from './process-table.ts';
import { cannotWrite, StartError, systemCode } from './start-error.ts';

/** How often a holder touches its lock, so that it can be seen alive from where its pid means nothing. */
const beatMilliseconds = 1000;
/** A lock from elsewhere that was not touched for this long is stale. */
const silenceMilliseconds = 5000;
/** How long is waited for somebody else who removes a stale lock. */
const claimMilliseconds = 10;

interface Holder {
  pid: number;
  /** `startOf` the pid. */
  started: string | null;
  /** Where the pid means something: this boot and this pid namespace. */
  place: string;
}

/**
 * Takes the lock that keeps a second Ninefold out of a folder: a file with the pid of its holder. The lock of a holder that
 * is gone is taken over: on the same machine that is told by the pid and the process's start, from another one (two
 * containers with one volume) by the file not being touched any more.
 *
 * @param path The lock file.
 * @param folder The folder it stands for, for the error.
 * @returns The function that releases it.
 * @throws StartError when another Ninefold holds it, or the folder cannot be written.
 */
export async function lockFolder(path: string, folder: string): Promise<() => Promise<void>> {
  const mine: Holder = { pid: process.pid, started: await startOf(process.pid), place: await thisPlace() };
  const content = JSON.stringify(mine);
  for (;;) {
    if (await tryToTake(path, content, folder)) break;
    const found = await readFile(path, 'utf8').catch(() => null);
    if (found === null) continue; // released just now
    const holder = parseHolder(found);
    if (await isHeld(path, holder, mine)) {
      throw new StartError(
        `The folder ${folder} is in use by another Ninefold${holder ? ` (pid ${holder.pid})` : ''}: stop that one, or set NINEFOLD_HOME to another folder.`,
      );
    }
    await takeAway(path, found);
  }
  const beat = setInterval(() => utimes(path, new Date(), new Date()).catch(() => undefined), beatMilliseconds);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await readFile(path, 'utf8').catch(() => null)) === content) await unlink(path).catch(() => undefined);
  };
}

/** A link appears at once and with its content, or not at all. */
async function tryToTake(path: string, content: string, folder: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw cannotWrite(folder, error);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

async function isHeld(path: string, holder: Holder | null, mine: Holder): Promise<boolean> {
  if (holder?.place !== mine.place) return isBeating(path);
  if (holder.pid === mine.pid) return holder.started === mine.started;
  const started = await startOf(holder.pid);
  return started !== null && started === holder.started;
}

/** Waits until the silence is long enough, or is broken. */
async function isBeating(path: string): Promise<boolean> {
  const lastBeat = () =>
    stat(path).then(
      (file) => file.mtimeMs,
      () => null,
    );
  const first = await lastBeat();
  if (first === null) return false;
  const patience = first + silenceMilliseconds - Date.now();
  // A beat in the future is of a clock that runs ahead: it is waited for no longer than any other.
  const until = Date.now() + Math.min(Math.max(patience, 0), silenceMilliseconds);
  while (Date.now() < until) {
    await delay(beatMilliseconds / 4);
    const now = await lastBeat();
    if (now === null) return false;
    if (now !== first) return true;
  }
  return false;
}

/**
 * Removes a lock that was found stale, unless another one was quicker. Who removes one holds a claim meanwhile, a second file: nobody else
 * then removes a lock, so the one that is looked at under the claim is the one that goes.
 */
async function takeAway(path: string, found: string): Promise<void> {
  const claim = `${path}.claim`;
  try {
    await writeFile(claim, '', { flag: 'wx', mode: 0o600 });
  } catch {
    await dropClaim(claim);
    return;
  }
  try {
    if ((await readFile(path, 'utf8').catch(() => null)) === found) await unlink(path).catch(() => undefined);
  } finally {
    await unlink(claim).catch(() => undefined);
  }
}

/** Waits a little for the one who holds the claim; a claim that is old was left behind by a process that has gone. */
async function dropClaim(claim: string): Promise<void> {
  const since = await stat(claim).then(
    (file) => file.mtimeMs,
    () => null,
  );
  if (since === null) return;
  if (Date.now() - since > silenceMilliseconds) await unlink(claim).catch(() => undefined);
  else await delay(claimMilliseconds);
}

function parseHolder(content: string): Holder | null {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value !== 'object' || value === null) return null;
    if (!('pid' in value && 'started' in value && 'place' in value)) return null;
    const { pid, started, place } = value;
    if (typeof pid !== 'number' || typeof place !== 'string') return null;
    return { pid, started: typeof started === 'string' ? started : null, place };
  } catch {
    return null;
  }
}

async function thisPlace(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${boot.trim()} ${namespace}`;
}
