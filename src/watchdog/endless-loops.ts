import { limits } from '../../contract/limits.ts';
import type { Processes } from './processes.ts';
import type { Session } from './sessions.ts';

/** Largest share of the kernel in the processor time of a loop. A process that works on files has a larger share. */
const KERNEL_SHARE = 0.05;

interface Started {
  readonly pid: number;
  /** Start time of the process, as PostgreSQL writes it. */
  readonly start: string;
}

/** A process that PostgreSQL was asked to end, with the processor time that it had used by then. */
interface Ending extends Omit<Started, 'pid'> {
  readonly userMilliseconds: number;
  readonly systemMilliseconds: number;
}

/**
 * Finds sessions that PostgreSQL was asked to end and that compute on in a loop without a check for interrupts. The lexer,
 * for example, has no check, so a function that executes a text of many nested comments would compute for days. Such a
 * process also blocks every DROP DATABASE of the server, which waits until all processes have closed their files.
 *
 * SIGKILL is no remedy, because PostgreSQL restarts all sessions then. SIGFPE raises an error within the loop, and the
 * session ends by its usual way. An error is safe in a loop of the lexer or the planner, but not in a commit or in the
 * memory allocator. Therefore a process counts only if it has computed for the limit sessionLoopSeconds since it should
 * have ended, has waited for nothing, and has hardly used the kernel.
 */
export class EndlessLoops {
  readonly #processes: Processes;
  readonly #ending = new Map<number, Ending>();

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Records that PostgreSQL was asked to end a process. */
  watch({ pid, start }: Started): void {
    if (this.#ending.get(pid)?.start === start) return;
    this.#ending.set(pid, { start, ...this.#processes.processorTimes(pid) });
  }

  /**
   * Returns the processes to interrupt. Includes parallel workers, which PostgreSQL ends together with their leader.
   * Forgets processes that have ended.
   * @param startOf Returns the process id and the start time of a process that runs.
   */
  find(sessions: readonly Session[], startOf: (pid: number) => Started | undefined): Session[] {
    for (const pid of this.#ending.keys()) {
      if (startOf(pid)?.start !== this.#ending.get(pid)?.start) this.#ending.delete(pid);
    }
    for (const { pid, leader } of sessions) {
      const process = this.#ending.has(leader) ? startOf(pid) : undefined;
      if (process) this.watch(process);
    }
    return sessions.filter((session) => this.#isLoop(session));
  }

  #isLoop({ pid, isComputing }: Session): boolean {
    const before = this.#ending.get(pid);
    if (before === undefined) return false;
    const times = this.#processes.processorTimes(pid);
    const user = times.userMilliseconds - before.userMilliseconds;
    const system = times.systemMilliseconds - before.systemMilliseconds;
    const isInCode = isComputing && system <= KERNEL_SHARE * (user + system);
    const isLong = user > limits.sessionLoopSeconds.default * 1000;
    // A process that waits, or that is interrupted, is measured again from the start.
    if (!isInCode || isLong) this.#ending.set(pid, { start: before.start, ...times });
    return isInCode && isLong;
  }
}
