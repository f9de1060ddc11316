import { NinefoldError } from '../../../errors/ninefold-error.ts';

/** How often a task is tried before the specification counts as too large. */
const ATTEMPTS = 4;

/**
 * Thrown if the specification process does not have the requested specification in its cache. The caller must then
 * derive the specification.
 */
export class NotCachedError extends Error {
  override readonly name = 'NotCachedError';

  constructor(options?: { cause: unknown }) {
    super('the specification process has no cached specification', options);
  }
}

/**
 * Runs `work`. If it fails with `NotCachedError`, runs it again, at most three times. It fails so if a task of another
 * caller has ended the process, or if the cache has evicted the specification.
 * @throws Errors of `work`, and NinefoldError `specification_too_large` if every attempt fails, for example because the
 * machine has too little memory.
 */
export async function retryIfNotCached<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotCachedError)) throw error;
      if (attempt === ATTEMPTS) throw new NinefoldError('specification_too_large', { cause: error });
    }
  }
}
