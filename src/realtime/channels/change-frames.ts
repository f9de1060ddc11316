import { type Outgoing, OutgoingMessage } from '../socket/outgoing.ts';

/** The messages of the last change. Channels with the same topic and the same matching entries share the bytes. */
export class ChangeFrames {
  #data: Buffer | null = null;
  readonly #known = new Map<string, Outgoing>();

  /**
   * Returns the message of a change.
   * @param topicName The topic with `realtime:`.
   * @param ids Ids of the entries that the change matches.
   * @param data JSON of the change. The channels with the same view of it pass the same object, one after the other.
   */
  of(topicName: string, ids: readonly number[], data: Buffer): Outgoing {
    if (this.#data !== data) this.#known.clear();
    this.#data = data;
    const key = `${ids.join(',')} ${topicName}`;
    const found = this.#known.get(key);
    if (found) return found;
    const payload = `{"ids":[${ids.join(',')}],"data":${data.toString('utf8')}}`;
    const outgoing = new OutgoingMessage({ topic: topicName, event: 'postgres_changes', payload });
    this.#known.set(key, outgoing);
    return outgoing;
  }
}
