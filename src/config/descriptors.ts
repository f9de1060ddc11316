import { readFileSync } from 'node:fs';
import { limits } from '../../contract/limits.ts';
import { ConfigError } from './config-error.ts';

/** Descriptors that a process of a node needs beside connections: files, pipes, sockets on which it listens. */
const RESERVED = 48;
/** Fewer leave PostgreSQL's own processes without the files that they must open. */
const LEAST = 128;
/** Below this an operator should know what the limit costs. */
const FEW = 1024;

/** How the file descriptors of a worker are shared out. */
export interface Descriptors {
  /** Descriptors that the system lets one process open. */
  readonly limit: number;
  /** Sockets of clients that one worker keeps open; the rest is for connections to the database. */
  readonly clientSockets: number;
}

/**
 * Reads how many file descriptors a process may have (`ulimit -n`).
 *
 * @throws ConfigError if they are too few to start.
 */
export function readDescriptors(limit: number = softLimit()): Descriptors {
  if (limit < LEAST) {
    throw new ConfigError(
      `A process may open only ${limit} files here, and Ninefold needs ${LEAST}: raise the limit (ulimit -n 4096) and start again.`,
    );
  }
  return { limit, clientSockets: Math.min(limits.connectionsPerWorker.default, Math.floor((limit - RESERVED) / 2)) };
}

/** Returns a sentence on what a low limit costs; null where it costs nothing. */
export function warnOfDescriptors({ limit, clientSockets }: Descriptors): string | null {
  if (limit >= FEW) return null;
  return `A process may open only ${limit} files here (ulimit -n): each worker takes at most ${clientSockets} connections of clients and about as many to the database. Raise the limit to take more.`;
}

/** Infinite where the system sets none. */
function softLimit(): number {
  const found = process.platform === 'linux' ? fromProc() : fromReport();
  return Number.isFinite(found) && found > 0 ? found : Number.POSITIVE_INFINITY;
}

function fromProc(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** The report takes a tenth of a second and is the only way without /proc. */
function fromReport(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  return Number(report.userLimits?.open_files?.soft);
}
