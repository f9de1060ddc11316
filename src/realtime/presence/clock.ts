/** Time and timers of presence. */
export interface Clock {
  /** Milliseconds, with fractions, that never go back. */
  now(): number;
  /** Runs `work` once after a time. Returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
}

/** The clock of the process. Its timers do not keep the process alive. */
export const processClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
