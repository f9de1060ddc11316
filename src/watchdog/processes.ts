import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The lowest priority of nice(2). */
const LOWEST = 19;

/** Figures of the kernel about PostgreSQL's processes; 0 for a process that has ended. */
export interface Processes {
  /** Returns the memory that the process shares with no other process. */
  memoryBytes(pid: number): number;
  /** Returns the processor time since the process started. */
  processorMilliseconds(pid: number): number;
  /** Lowers or restores the priority of the process. Does nothing without the permission. */
  setLowPriority(pid: number, isLow: boolean): void;
}

/** Reads /proc, for a PostgreSQL server on this machine with Linux. */
export const linuxProcesses: Processes = {
  memoryBytes(pid) {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024;
  },
  processorMilliseconds(pid) {
    return Number(read(pid, 'schedstat').split(' ')[0] ?? 0) / 1e6;
  },
  setLowPriority(pid, isLow) {
    const priority = isLow ? LOWEST : 0;
    // Each process of PostgreSQL is its own session of the operating system, and the kernel compares sessions by the
    // priority of their autogroup (sched(7), "The autogroup feature"). Without autogroups the file is missing, and the
    // priority of the process is used.
    const steps = [() => setPriority(pid, priority), () => writeFileSync(`/proc/${pid}/autogroup`, String(priority))];
    for (const step of steps) {
      try {
        step();
      } catch {
        // The process has ended, or only root may raise its priority.
      }
    }
  },
};

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
