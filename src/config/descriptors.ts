import { readFileSync } from 'node:fs';
import { limits } from '../../contract/limits.ts';
import { ConfigError } from './config-error.ts';

/** Number of descriptors that a process needs in addition to connections: files, pipes, listening sockets. */
const RESERVED = 48;
/** Minimum number of descriptors. With fewer, PostgreSQL's own processes cannot open the files that they need. */
const LEAST = 128;
/** Number of descriptors below which the operator gets a warning. */
const FEW = 1024;

/** File descriptors of a worker, and how many are for clients. */
export interface Descriptors {
  /** Number of descriptors that the operating system lets one process open. */
  readonly limit: number;
  /** Maximum number of open client sockets of a worker. The other descriptors are for connections to the database. */
  readonly clientSockets: number;
}

/**
 * Reads the maximum number of file descriptors of a process (`ulimit -n`).
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

/** Returns a warning about a low limit; null if the limit is high enough. */
export function warnOfDescriptors({ limit, clientSockets }: Descriptors): string | null {
  if (limit >= FEW) return null;
  return `A process may open only ${limit} files here (ulimit -n): each worker takes at most ${clientSockets} connections of clients and about as many to the database. Raise the limit to take more.`;
}

/** Returns the soft limit of the process; Infinity without a limit. */
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

/**
 * Reads the limit from a diagnostic report of Node.js, which takes a tenth of a second. There is no other way without
 * /proc.
 */
function fromReport(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  return Number(report.userLimits?.open_files?.soft);
}
