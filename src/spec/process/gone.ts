/** What is asked for was never held by the process, or is not any more: whoever asks derives it again. */
export class Gone extends Error {
  override readonly name = 'Gone';
}

const ATTEMPTS = 4;

/** Does `work` again where the process ended over the task of another, or has let go of what `work` asks for. Throws what `work` throws. */
export async function despiteGone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Gone) || attempt === ATTEMPTS) throw error;
    }
  }
}
