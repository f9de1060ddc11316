import type { Identity } from '../../identity/identity.ts';
import type { Outgoing } from '../socket/outgoing.ts';
import type { LiveFault, LiveSink } from './live-parts.ts';

/** The live lists of one text and one caller. */
export interface SubscribedGroup {
  readonly key: string;
  /** True if the list has one row at most, so that its channels have presence. */
  readonly isOneRow: boolean;
  /** Uses a renewed token of the same caller. */
  renew(identity: Identity): void;
  remove(subscription: LiveSubscription): void;
}

/** The live list of one channel. */
export class LiveSubscription {
  /** True until the client gets the page, and again after it has missed a message. */
  wantsPage = true;
  group: SubscribedGroup;
  /** The reason for which the list ended before it started. */
  fault: LiveFault | null = null;
  #sink: LiveSink | null = null;
  /** Messages that wait for the reply to the join. */
  #waiting: Outgoing[] = [];
  #hasRows = false;
  #isEnded = false;

  constructor(group: SubscribedGroup) {
    this.group = group;
  }

  /** Sends the page and all later messages to the channel. */
  start(sink: LiveSink): void {
    this.#sink = sink;
    sink.onRows(this.#hasRows);
    for (const outgoing of this.#waiting) sink.send(outgoing);
    this.#waiting = [];
    if (this.fault) sink.end(this.fault);
  }

  get isSlow(): boolean {
    return this.#sink?.isSlow ?? false;
  }

  send(outgoing: Outgoing): void {
    this.wantsPage = false;
    if (this.#sink) this.#sink.send(outgoing);
    else this.#waiting.push(outgoing);
  }

  onRows(hasRows: boolean): void {
    if (hasRows === this.#hasRows) return;
    this.#hasRows = hasRows;
    this.#sink?.onRows(hasRows);
  }

  end(fault: LiveFault): void {
    if (this.#isEnded) return;
    this.close();
    this.fault = fault;
    this.#sink?.end(fault);
  }

  close(): void {
    this.#isEnded = true;
    this.group.remove(this);
  }
}
