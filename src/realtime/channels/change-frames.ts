import { type Outgoing, OutgoingMessage } from '../socket/outgoing.ts';

/** The messages of changes. Channels with the same topic and the same matching entries share the bytes. */
export class ChangeFrames {
  readonly #known = new WeakMap<Buffer, Map<string, Outgoing>>();

  /**
   * Returns the message of a change.
   * @param topicName The topic with `realtime:`.
   * @param ids Ids of the entries that the change matches.
   * @param data JSON of the change. The same object for all channels with the same view of it.
   */
  of(topicName: string, ids: readonly number[], data: Buffer): Outgoing {
    const known = this.#known.get(data) ?? new Map<string, Outgoing>();
    if (known.size === 0) this.#known.set(data, known);
    const key = `${ids.join(',')} ${topicName}`;
    const found = known.get(key);
    if (found) return found;
    const payload = `{"ids":[${ids.join(',')}],"data":${data.toString('utf8')}}`;
    const outgoing = new OutgoingMessage({ topic: topicName, event: 'postgres_changes', payload });
    known.set(key, outgoing);
    return outgoing;
  }
}
