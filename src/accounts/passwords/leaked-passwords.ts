import { createHash } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';

/** The number of digits that the service receives. */
const PREFIX = 5;

/** A service that knows passwords from data leaks. */
export interface LeakedPasswords {
  /**
   * Returns true for a leaked password.
   * @throws if the service does not answer in time
   */
  has(password: string): Promise<boolean>;
}

/**
 * Asks the range API of Have I Been Pwned, or another service with the same protocol
 * (https://haveibeenpwned.com/API/v3#PwnedPasswords). The service receives only the first five of the forty digits of
 * the password's SHA-1, which it has in common with several hundred leaked passwords.
 * @param url Address to which the digits are appended.
 */
export class LeakedPasswordRange implements LeakedPasswords {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async has(password: string): Promise<boolean> {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    const response = await fetch(`${this.#url}${digest.slice(0, PREFIX)}`, {
      // With this header, the service pads its response. Otherwise the size of the response would show which digits
      // were sent.
      headers: { 'add-padding': 'true' },
      redirect: 'error',
      signal: AbortSignal.timeout(limits.leakedPasswordMilliseconds.default),
    });
    if (!response.ok) throw new Error(`The service of leaked passwords answered ${response.status}.`);
    const suffix = digest.slice(PREFIX);
    for await (const line of linesOf(response)) {
      const [found, count] = line.split(':');
      // Entries that only pad the response have the count 0.
      if (found?.toUpperCase() === suffix) return Number(count) > 0;
    }
    return false;
  }
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let rest = '';
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > limits.leakedPasswordBytes.default) throw new Error('The service of leaked passwords sent too much.');
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\r\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
