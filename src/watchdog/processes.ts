import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The lowest priority of nice(2). */
const LOWEST = 19;

/** The kernel's figures about PostgreSQL's processes; 0 for a process that has ended. */
export interface Processes {
  /** Memory that the process shares with no other one. */
  memoryBytes(pid: number): number;
  /** Processor time since the process began. */
  processorMilliseconds(pid: number): number;
  /** Lowers the priority of the process, or restores it. Without the right to, does nothing. */
  setLowPriority(pid: number, isLow: boolean): void;
}

/** Reads /proc: for a PostgreSQL that runs on this machine, on Linux. */
export const linuxProcesses: Processes = {
  memoryBytes(pid) {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(read(pid, 'status'))?.[1] ?? 0) * 1024;
  },
  processorMilliseconds(pid) {
    return Number(read(pid, 'schedstat').split(' ')[0] ?? 0) / 1e6;
  },
  setLowPriority(pid, isLow) {
    const priority = isLow ? LOWEST : 0;
    // Each process of PostgreSQL is a session of its own, and the kernel compares sessions by the priority of their group
    // (sched(7), "The autogroup feature"). Without autogroups the file is missing, and the priority of the process decides.
    const steps = [() => setPriority(pid, priority), () => writeFileSync(`/proc/${pid}/autogroup`, String(priority))];
    for (const step of steps) {
      try {
        step();
      } catch {
        // it has ended, or only root may raise the priority
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
