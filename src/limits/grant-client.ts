import type { Grant } from './address-bank.ts';

/** Messages by which a worker gets permission for requests of a client network. */
export type GrantMessage =
  /** From the worker to the primary. */
  | { type: 'ask requests'; network: string }
  /** From the primary to the worker. */
  | { type: 'grant requests'; network: string; grant: Grant };

/** Asks the primary for requests of client networks. A worker asks for a network again only after the response. */
export class GrantClient {
  readonly #send: (message: Extract<GrantMessage, { type: 'ask requests' }>) => void;
  readonly #waiting = new Map<string, (grant: Grant) => void>();

  constructor(send: (message: Extract<GrantMessage, { type: 'ask requests' }>) => void) {
    this.#send = send;
  }

  ask(network: string): Promise<Grant> {
    return new Promise((resolve) => {
      this.#waiting.set(network, resolve);
      this.#send({ type: 'ask requests', network });
    });
  }

  /** Handles the response of the primary. */
  onGrant({ network, grant }: Extract<GrantMessage, { type: 'grant requests' }>): void {
    this.#waiting.get(network)?.(grant);
    this.#waiting.delete(network);
  }
}
