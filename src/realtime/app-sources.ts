import type { App } from '../apps/app.ts';
import type { Bus } from './bus/bus.ts';
import { AppChanges } from './changes/app-changes.ts';
import { ChangeLog } from './changes/change-log.ts';
import { TouchedTables } from './changes/touched-tables.ts';
import { RightsWatch } from './channels/rights-watch.ts';
import type { TopicName } from './channels/topic.ts';
import { MessageFeed } from './messages/message-feed.ts';
import type { StoredMessage } from './messages/message-reader.ts';
import type { Broadcast } from './socket/frames.ts';

/** Time between two messages to the other workers that an app was written to. */
const TELL_MILLISECONDS = 50;

/** The surroundings of the sources of an app. */
export interface SourceParts {
  readonly bus: Bus;
  readonly maxPayloadBytes: () => number;
  readonly deliver: (topic: TopicName, broadcast: Broadcast) => void;
  readonly onGap: (reason: string) => void;
  /** Asks the policies on realtime.messages about every private channel. */
  readonly askRights: () => Promise<void>;
}

/** Reads the database of one app for one worker: changes of rows and tables, and messages that SQL sends. */
export class AppSources {
  readonly changes: AppChanges;
  readonly touched: TouchedTables;
  readonly messages: MessageFeed;
  readonly rights: RightsWatch;
  readonly #log: ChangeLog;
  readonly #unsubscribe: () => void;

  constructor(app: App, { bus, maxPayloadBytes, deliver, onGap, askRights }: SourceParts) {
    this.#log = new ChangeLog(app);
    this.changes = new AppChanges(app, this.#log);
    this.touched = new TouchedTables(app, this.#log);
    this.rights = new RightsWatch(app.database, this.touched, askRights);
    this.messages = new MessageFeed({
      database: app.database,
      maxPayloadBytes,
      onGap,
      deliver: (message) => {
        const broadcast = broadcastOf(message);
        if (broadcast) deliver({ name: message.topic, isPrivate: message.isPrivate }, broadcast);
      },
    });
    this.#unsubscribe = bus.subscribe(app.ref, WRITES, {
      receive: () => this.poke(),
      onPeerLost: () => undefined,
      onConnected: () => undefined,
    });
  }

  /** Reads what the API has just written. */
  poke(): void {
    this.#log.poke();
    this.messages.poke();
  }

  close(): void {
    this.#unsubscribe();
    this.rights.close();
    this.changes.close();
    this.touched.close();
    this.#log.close();
    this.messages.close();
  }
}

/** Topic of the bus about all writes to an app. Topics of channels have a prefix. */
const WRITES = '';

/** Tells the other workers that the API has written to an app, at most once in a short time for each app. */
export class WriteNotices {
  readonly #bus: Bus;
  /** The apps that were told of lately, and whether they were written to since. */
  readonly #told = new Map<string, boolean>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Reports a write. */
  tell(ref: string): void {
    if (this.#told.has(ref)) {
      this.#told.set(ref, true);
      return;
    }
    this.#told.set(ref, false);
    this.#bus.publish({ ref, topic: WRITES, kind: 'changed', body: NOTHING });
    setTimeout(() => {
      const isWritten = this.#told.get(ref) === true;
      this.#told.delete(ref);
      if (isWritten) this.tell(ref);
    }, TELL_MILLISECONDS).unref();
  }
}

const NOTHING = new Uint8Array();

/** Returns a stored message as a broadcast; null without a payload. */
export function broadcastOf({ event, payload, id }: StoredMessage, isReplayed = false): Broadcast | null {
  if (payload === null) return null;
  const meta = JSON.stringify({ id, ...(isReplayed && { replayed: true }) });
  return { event, payload: payload.bytes, isBinary: payload.encoding === 'binary', meta };
}
