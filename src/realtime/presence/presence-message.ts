/** The presence of one channel in one worker. An entry never changes; a call of `track` replaces it. */
export interface PresenceEntry {
  /** Number that its worker gave to the entry and to no other entry. */
  readonly id: number;
  readonly key: string;
  /** The tracked object as JSON. */
  readonly meta: string;
  /** Id of the entry that this entry replaces; 0 without one. */
  readonly previous: number;
}

/** A message between the workers that hold a topic. */
export type PresenceMessage =
  /** Asks for all entries of one worker, or of every worker if `peer` is empty. */
  | { readonly kind: 'request'; readonly peer: string }
  /** All entries of the sender. */
  | { readonly kind: 'full'; readonly version: number; readonly entries: readonly PresenceEntry[] }
  /** The changes of the sender since its version `base`. */
  | {
      readonly kind: 'delta';
      readonly base: number;
      readonly version: number;
      readonly added: readonly PresenceEntry[];
      readonly removed: readonly number[];
    };

const kinds = ['request', 'full', 'delta'] as const;

/** Returns a message in bytes: numbers as 64-bit floats, each text and each list after its length. */
export function encodePresence(message: PresenceMessage): Buffer {
  const parts: Buffer[] = [Buffer.of(kinds.indexOf(message.kind))];
  const number = (value: number): void => {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(value);
    parts.push(bytes);
  };
  const text = (value: string): void => {
    const bytes = Buffer.from(value);
    number(bytes.length);
    parts.push(bytes);
  };
  const list = (entries: readonly PresenceEntry[]): void => {
    number(entries.length);
    for (const { id, key, meta, previous } of entries) {
      number(id);
      text(key);
      text(meta);
      number(previous);
    }
  };
  switch (message.kind) {
    case 'request':
      text(message.peer);
      break;
    case 'full':
      number(message.version);
      list(message.entries);
      break;
    case 'delta':
      number(message.base);
      number(message.version);
      list(message.added);
      number(message.removed.length);
      for (const id of message.removed) number(id);
  }
  return Buffer.concat(parts);
}

/**
 * Parses the bytes of `encodePresence`.
 * @throws RangeError for bytes that end early.
 */
export function decodePresence(body: Uint8Array): PresenceMessage {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let at = 1;
  const number = (): number => {
    const value = bytes.readDoubleBE(at);
    at += 8;
    return value;
  };
  const text = (): string => {
    const length = number();
    if (!(length >= 0 && at + length <= bytes.length)) throw new RangeError('the message ends early');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const list = <Item>(read: () => Item): Item[] => {
    const items: Item[] = [];
    for (let left = number(); left > 0; left--) items.push(read());
    return items;
  };
  const entry = (): PresenceEntry => ({ id: number(), key: text(), meta: text(), previous: number() });
  switch (kinds[bytes[0] ?? -1]) {
    case 'request':
      return { kind: 'request', peer: text() };
    case 'full':
      return { kind: 'full', version: number(), entries: list(entry) };
    case 'delta':
      return { kind: 'delta', base: number(), version: number(), added: list(entry), removed: list(number) };
    default:
      throw new RangeError('unknown kind of message');
  }
}
