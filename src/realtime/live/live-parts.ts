import type { Identity } from '../../identity/identity.ts';
import type { TouchedTable } from '../changes/touched-tables.ts';
import type { TopicRights } from '../messages/private-channels.ts';
import type { Outgoing } from '../socket/outgoing.ts';
import type { LiveQuery } from './live-topic.ts';

/** The parts of a read that are known before it runs. */
export interface LivePlan {
  /** The tables on which the result depends. */
  readonly tables: readonly TouchedTable[];
  /** False if the result may depend on something else, such as the time. */
  readonly isComplete: boolean;
  /** Names of the fields that contain the primary key. */
  readonly key: readonly string[];
  /** True if the filters name the whole primary key, so that the result is one row at most. */
  readonly isOneRow: boolean;
  readonly query: LiveQuery;
}

/** The code and the message of an error, as a GET has them. */
export interface LiveFault {
  readonly code: string;
  readonly message: string;
}

/** Plans and runs reads of one app as a caller. */
export interface LiveReads {
  /** Throws the errors of a GET. */
  plan(identity: Identity, query: LiveQuery): Promise<LivePlan>;
  /** Returns a JSON list of rows. Throws the errors of a GET. */
  run(identity: Identity, query: LiveQuery): Promise<string>;
  /** Returns code and message of such an error; null for an internal error. */
  faultOf(error: unknown, identity: Identity): Promise<LiveFault | null>;
}

/** The channel of a live list. */
export interface LiveSink {
  /** True while the client reads so slowly that messages are left out. */
  readonly isSlow: boolean;
  send(outgoing: Outgoing): void;
  /** Called with the number of rows whenever it changes between none and some. */
  onRows(hasRows: boolean): void;
  /** Ends the channel. The client joins again. */
  end(fault: LiveFault): void;
}

/** The read of a live list failed. `message` and `code` are those of a GET. */
export class LiveReadError extends Error {
  override readonly name = 'LiveReadError';
  readonly code: string;

  constructor({ code, message }: LiveFault) {
    super(message);
    this.code = code;
  }
}

/** Returns the rights on the topic of a live list. Only the service sends broadcasts on it. */
export const liveRights = (hasPresence: boolean): TopicRights => ({
  broadcast: { read: false, write: false },
  presence: { read: hasPresence, write: hasPresence },
});
