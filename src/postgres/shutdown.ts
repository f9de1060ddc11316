import { setTimeout as delay } from 'node:timers/promises';
import { hasSessions, serverProcesses } from './process-table.ts';

/** Writes a message for the operator. */
export type Log = (message: string, detail?: Record<string, unknown>) => void;

/** Time that the sessions of a server have to end. After this time, the server is shut down without a checkpoint. */
const SESSIONS_MILLISECONDS = 60_000;
/**
 * Time that the server has to end after a shutdown without a checkpoint. The server itself kills its remaining
 * processes after five seconds.
 */
const IMMEDIATE_MILLISECONDS = 10_000;
const REPORT_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 20;

/**
 * Shuts a server down with the mode "fast", which ends sessions and writes a checkpoint (PostgreSQL manual, "Shutting
 * Down the Server"). The checkpoint may take any time: without the checkpoint, the next start would be a crash
 * recovery, which takes longer. If the sessions do not end within SESSIONS_MILLISECONDS, the server is shut down
 * without a checkpoint, then killed.
 * @param dataFolder Absolute path without symbolic links.
 * @param log Receives the progress every REPORT_MILLISECONDS.
 * @param exited Resolves when the postmaster has ended, if it is a child of this process.
 * @throws Error if the processes cannot be killed.
 */
export async function shutDown(
  dataFolder: string,
  postmaster: number,
  log: Log,
  exited?: Promise<unknown>,
): Promise<void> {
  send([postmaster], 'SIGINT');
  // SIGCONT resumes processes that were stopped (SIGSTOP), because a stopped process handles no other signal.
  send(await serverProcesses(dataFolder), 'SIGCONT');
  const hasExited = exited === undefined ? allGone(dataFolder) : watch(exited);
  if (await endsInOrder(dataFolder, hasExited, log)) return;
  log('The sessions of PostgreSQL do not end; shutting it down without a checkpoint');
  await killProcesses(dataFolder, log, hasExited);
}

/**
 * Ends every process of a server without a checkpoint.
 * @param hasExited Returns true when the server has ended; by default, when no process is left.
 * @throws Error if the processes cannot be killed.
 */
export async function killProcesses(dataFolder: string, log: Log, hasExited = allGone(dataFolder)): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const processes = await serverProcesses(dataFolder);
    send(processes, 'SIGCONT');
    send(processes, signal);
    if (await within(IMMEDIATE_MILLISECONDS, hasExited)) return;
    log('The processes of PostgreSQL do not end', { signal, processes });
  }
  throw new Error(`the processes of PostgreSQL on ${dataFolder} cannot be ended`);
}

/** Waits until the server has ended. Returns false if sessions are left after SESSIONS_MILLISECONDS. */
async function endsInOrder(dataFolder: string, hasExited: () => Promise<boolean>, log: Log): Promise<boolean> {
  const started = performance.now();
  while (!(await within(REPORT_MILLISECONDS, hasExited))) {
    const seconds = Math.round((performance.now() - started) / 1000);
    if (await hasSessions(dataFolder)) {
      if (seconds * 1000 >= SESSIONS_MILLISECONDS) return false;
      log('PostgreSQL is ending its sessions', { seconds });
    } else {
      log('PostgreSQL is writing its last checkpoint; a clean stop waits for it', { seconds });
    }
  }
  return true;
}

const allGone = (dataFolder: string) => async (): Promise<boolean> => (await serverProcesses(dataFolder)).length === 0;

function watch(exited: Promise<unknown>): () => Promise<boolean> {
  let hasExited = false;
  void exited.then(() => {
    hasExited = true;
  });
  return () => Promise.race([exited.then(() => true), delay(LOOK_MILLISECONDS).then(() => hasExited)]);
}

/** Returns true if `isDone` becomes true within the time. */
async function within(milliseconds: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + milliseconds;
  while (!(await isDone())) {
    if (performance.now() > until) return false;
    await delay(LOOK_MILLISECONDS);
  }
  return true;
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended in the meantime.
    }
  }
}
