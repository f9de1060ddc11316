import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/**
 * Values that are added to the node's own oom_score_adj (proc_pid_oom_score_adj(5)). When memory runs out, the kernel
 * first kills the largest process among those with the highest score. The server's sessions and the process of the
 * specifications are offered first: PostgreSQL recovers from the loss of a session within a second, and requests
 * meanwhile get 503. The loss of a worker resets its connections, and the loss of the primary ends the node. A process
 * without privileges may raise a score, but not lower it, so all values are positive.
 */
const ADDED = { expendable: 500, worker: 100 } as const;

/** A kind of process: `expendable` for sessions of PostgreSQL and the process of the specifications. */
export type OomKind = keyof typeof ADDED;

const MAX_SCORE = 1000;

const fileOf = (pid: number | 'self'): string => `/proc/${pid}/oom_score_adj`;

/** Returns the score of a kind of process; null on systems without such scores. */
function scoreOf(kind: OomKind): number | null {
  try {
    return Math.min(MAX_SCORE, Number(readFileSync(fileOf('self'), 'utf8')) + ADDED[kind]);
  } catch {
    return null;
  }
}

/**
 * Raises the score of a child process. An error is ignored, because some containers forbid writing to /proc and a node
 * works without scores.
 */
export async function raiseOomScore(pid: number | undefined, kind: OomKind): Promise<void> {
  const score = scoreOf(kind);
  if (pid !== undefined && score !== null) await writeFile(fileOf(pid), String(score)).catch(() => undefined);
}

/**
 * Returns environment variables with which PostgreSQL raises the score of each process that it starts. The score of the
 * postmaster stays as it is (PostgreSQL manual, "Linux Memory Overcommit").
 */
export function oomEnvironment(): NodeJS.ProcessEnv {
  const score = scoreOf('expendable');
  return score === null ? {} : { PG_OOM_ADJUST_FILE: fileOf('self'), PG_OOM_ADJUST_VALUE: String(score) };
}
