import { statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';

/** A capacity and its used part, in bytes. */
export interface Capacity {
  readonly used: number;
  readonly size: number;
}

/** Returns the file system of a folder; null if it cannot be read. */
export async function diskOf(folder: string): Promise<(Capacity & { readonly free: number }) | null> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(folder);
    return { used: (blocks - bfree) * bsize, size: blocks * bsize, free: bavail * bsize };
  } catch {
    return null;
  }
}

/** Returns the memory of the machine. */
export const memory = (): Capacity => ({ used: totalmem() - freemem(), size: totalmem() });

/** Measures the share of the machine's processors that were in use since the last call, from 0 to 1. */
export class ProcessorUse {
  #last = processorTimes();

  take(): number {
    const now = processorTimes();
    const all = now.all - this.#last.all;
    const idle = now.idle - this.#last.idle;
    this.#last = now;
    return all > 0 ? Math.min(1, Math.max(0, 1 - idle / all)) : 0;
  }
}

function processorTimes(): { all: number; idle: number } {
  let [all, idle] = [0, 0];
  for (const { times } of cpus()) {
    all += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { all, idle };
}
