import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { kill } from 'node:process';

/** The lowest priority of nice(2). */
const LOWEST = 19;

/**
 * Folder in which glibc stores POSIX shared memory (shm_overview(7)). SEGMENT matches the names of PostgreSQL's
 * segments in it (dsm_impl.c).
 */
const SEGMENTS = '/dev/shm';
const SEGMENT = /^PostgreSQL\.\d+$/;
/** Size in bytes of one block in the field `blocks` of stat(2). */
const BLOCK_BYTES = 512;

/** Places of utime and stime in the result of `statFields`, and the length of a clock tick (USER_HZ). */
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const TICK_MILLISECONDS = 10;

/** Values that the kernel reports for PostgreSQL's processes; 0 for a process that has ended. */
export interface Processes {
  /**
   * Returns the memory in bytes that only this process uses.
   * @param withShare True to add the process's share of the shared memory, which takes the kernel longer.
   */
  memoryBytes(pid: number, withShare: boolean): number;
  /**
   * Returns the total size of the memory segments in which parallel workers share rows. RLIMIT_DATA does not limit
   * them, so the watchdog must.
   */
  segmentBytes(): number;
  /** Returns the processor time since the process started. */
  processorMilliseconds(pid: number): number;
  /** Returns the processor time since the process started, in its own code and in the kernel. */
  processorTimes(pid: number): { userMilliseconds: number; systemMilliseconds: number };
  /**
   * Makes the PostgreSQL process leave a loop that checks for no interrupt: its handler of SIGFPE raises an error
   * (FloatExceptionHandler in postgres.c). The process must be in code that an error may leave at any place.
   */
  interruptLoop(pid: number): void;
  /** Lowers or restores the priority of the process. Does nothing without the permission. */
  setLowPriority(pid: number, isLow: boolean): void;
}

/** Reads /proc, for a PostgreSQL server on this machine with Linux. */
export const linuxProcesses: Processes = {
  memoryBytes(pid, withShare) {
    const share = withShare ? kibibytes(read(pid, 'smaps_rollup'), 'Pss_Shmem') : 0;
    return (kibibytes(read(pid, 'status'), 'RssAnon') + share) * 1024;
  },
  segmentBytes() {
    // A segment from before this process started belongs to another server, or to one that was killed.
    const sizeOf = (name: string): number => {
      const found = statSync(`${SEGMENTS}/${name}`, { throwIfNoEntry: false });
      return found && found.mtimeMs >= performance.timeOrigin ? found.blocks * BLOCK_BYTES : 0;
    };
    return readdirSync(SEGMENTS)
      .filter((name) => SEGMENT.test(name))
      .reduce((sum, name) => sum + sizeOf(name), 0);
  },
  processorMilliseconds(pid) {
    return Number(read(pid, 'schedstat').split(' ')[0] ?? 0) / 1e6;
  },
  processorTimes(pid) {
    const [user = 0, system = 0] = statFields(pid)
      .slice(USER_TIME, SYSTEM_TIME + 1)
      .map((ticks) => Number(ticks) * TICK_MILLISECONDS);
    return { userMilliseconds: user, systemMilliseconds: system };
  },
  interruptLoop(pid) {
    // The name is checked because the id may belong to another process by now.
    if (/^\d+ \(postgres\)/.test(read(pid, 'stat'))) kill(pid, 'SIGFPE');
  },
  setLowPriority(pid, isLow) {
    const priority = isLow ? LOWEST : 0;
    // Each process of PostgreSQL is its own session of the operating system, and the kernel compares sessions by the
    // priority of their autogroup (sched(7), "The autogroup feature"). So the priority of the autogroup is set too.
    // Without autogroups its file is missing, and only the priority of the process counts.
    const steps = [() => setPriority(pid, priority), () => writeFileSync(`/proc/${pid}/autogroup`, String(priority))];
    for (const step of steps) {
      try {
        step();
      } catch {
        // The call fails if the process has ended, or if this process is not root and may not raise a priority. The
        // watchdog ignores both.
      }
    }
  },
};

/** Returns the fields of /proc/<pid>/stat after the name of the program, which may contain spaces (proc_pid_stat(5)). */
function statFields(pid: number): string[] {
  const stat = read(pid, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const kibibytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
