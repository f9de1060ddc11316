import { readFileSync } from 'node:fs';

/** Size of a page of memory. */
const PAGE_BYTES = 4096;
/** Places of utime and stime after the name, and the length of a clock tick (USER_HZ). */
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;
const TICK_MILLISECONDS = 10;

/** Memory and processor time of a process. */
export interface ProcessUse {
  readonly memoryBytes: number;
  readonly processorMilliseconds: number;
}

/**
 * Returns what a process uses (proc_pid_statm(5)). Returns null on systems without /proc, and for a
 * process that has ended.
 */
export function useOf(pid: number): ProcessUse | null {
  try {
    const resident = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return { memoryBytes: resident * PAGE_BYTES, processorMilliseconds: processorOf(pid) };
  } catch {
    return null;
  }
}

/** Processor time in the process's own code and in the kernel, in steps of 10 ms (proc_pid_stat(5)). */
function processorOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain spaces. utime and stime are the 14th and 15th field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])) * TICK_MILLISECONDS;
}
