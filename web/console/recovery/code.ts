import { ApiFailure } from '../data/api-failure.ts';

/** Says that a part of the console's code could not be loaded, because the node is down or serves another version of the console. */
export class MissingCode extends ApiFailure {
  constructor() {
    super('A part of the console could not be loaded.', {
      code: 'console_not_loaded',
      status: null,
      hint: 'Check that `ninefold start` is running. The console reloads this page when the server answers.',
    });
  }
}

/**
 * Wraps a dynamic import. After a failure, every further call fails too, until the page is reloaded. The reason is that
 * Vite's code requests each style sheet only once, so a second attempt could succeed without its styles.
 * @throws {MissingCode} from the returned function, if the part or one of its style sheets cannot be loaded
 */
export function code<T>(load: () => Promise<T>): () => Promise<T> {
  let failure: MissingCode | null = null;
  return async () => {
    if (failure) throw failure;
    try {
      return await load();
    } catch (cause) {
      failure = new MissingCode();
      failure.cause = cause;
      throw failure;
    }
  };
}
