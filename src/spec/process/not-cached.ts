import { NinefoldError } from '../../errors/ninefold-error.ts';

/** What is asked for was never held by the process, or is not any more: whoever asks derives it again. */
export class NotCachedError extends Error {
  override readonly name = 'Gone';

  constructor(options?: { cause: unknown }) {
    super('what is asked for is not held any more', options);
  }
}

const ATTEMPTS = 4;

/**
 * Does `work` again where the process ended over the task of another, or has let go of what `work` asks for. Throws what `work` throws, and
 * NinefoldError `specification_too_large` where that goes on and on, as on a machine without memory.
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
