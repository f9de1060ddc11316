/** Says that a part of the page's code could not be loaded, because the node is down or serves another version of the pages. */
export class MissingCode extends Error {
  override readonly name = 'MissingCode';

  constructor(cause: unknown) {
    super('A part of the page could not be loaded.', { cause });
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
      failure = new MissingCode(cause);
      throw failure;
    }
  };
}
