import { readFileSync } from 'node:fs';
import { linuxProcesses } from '../../watchdog/processes.ts';

/** Size of a page of memory. */
const PAGE_BYTES = 4096;

/** Memory and processor time of a process. */
export interface ProcessUse {
  readonly memoryBytes: number;
  readonly processorMilliseconds: number;
}

/**
 * Returns the memory (proc_pid_statm(5)) and the processor time of a process. Returns null on systems without /proc, and for a process that
 * has ended.
 */
export function useOf(pid: number): ProcessUse | null {
  try {
    const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    const { userMilliseconds, systemMilliseconds } = linuxProcesses.processorTimes(pid);
    return { memoryBytes: resident * PAGE_BYTES, processorMilliseconds: userMilliseconds + systemMilliseconds };
  } catch {
    return null;
  }
}

/** Kills a process that was started with `detached`, and the processes that it started. Ignores an error: they may have ended. */
export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left to end.
  }
}
