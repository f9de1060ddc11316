import type { ServerResponse } from 'node:http';
import type { CancelSignal } from '../../contract/call-request.ts';

/**
 * Aborts if the client disconnects before its response is written. Registers a listener on the response only while it
 * has listeners itself.
 */
export class DisconnectSignal implements CancelSignal {
  readonly #response: ServerResponse;
  #listeners: (() => void)[] = [];

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get aborted(): boolean {
    return this.#response.destroyed && !this.#response.writableFinished;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listeners.length === 0) this.#response.on('close', this.#onClose);
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
    if (this.#listeners.length === 0) this.#response.off('close', this.#onClose);
  }

  readonly #onClose = (): void => {
    if (!this.aborted) return;
    for (const listener of this.#listeners) listener();
  };
}
