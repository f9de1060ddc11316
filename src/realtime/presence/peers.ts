import type { PresenceEntry, PresenceMessage } from './presence-message.ts';

/** Time without a message after which the entries of a worker are removed: three of its signs of life. */
const SILENCE_MILLISECONDS = 100_000;

/** Receives the entries of other workers that appear and disappear. */
interface PeerChanges {
  added(peer: string, entry: PresenceEntry): void;
  removed(peer: string, entry: PresenceEntry): void;
}

interface Peer {
  version: number;
  heardAt: number;
  readonly entries: Map<number, PresenceEntry>;
}

/**
 * The entries of the other workers. Each worker alone adds and removes its entries and counts a version up, so a copy
 * is as good as its version: a repeated message changes nothing, and a lost one leaves a gap, for which all entries are
 * asked.
 */
export class Peers {
  readonly #peers = new Map<string, Peer>();
  readonly #changes: PeerChanges;

  constructor(changes: PeerChanges) {
    this.#changes = changes;
  }

  /** Applies a message. Returns false if an earlier message of the worker is missing. */
  apply(from: string, message: Exclude<PresenceMessage, { kind: 'request' }>, now: number): boolean {
    let peer = this.#peers.get(from);
    if (message.kind === 'full' && !peer) {
      peer = { version: Number.NEGATIVE_INFINITY, heardAt: now, entries: new Map() };
      this.#peers.set(from, peer);
    }
    if (!peer) return false;
    peer.heardAt = now;
    if (message.version <= peer.version) return true;
    if (message.kind === 'delta') {
      if (message.base !== peer.version) return false;
      for (const id of message.removed) this.#remove(from, peer, id);
      for (const entry of message.added) this.#add(from, peer, entry);
    } else {
      const ids = new Set(message.entries.map(({ id }) => id));
      for (const id of [...peer.entries.keys()]) if (!ids.has(id)) this.#remove(from, peer, id);
      for (const entry of message.entries) this.#add(from, peer, entry);
    }
    peer.version = message.version;
    return true;
  }

  /** Removes a worker and its entries. */
  lose(from: string): void {
    const peer = this.#peers.get(from);
    if (!peer) return;
    for (const id of [...peer.entries.keys()]) this.#remove(from, peer, id);
    this.#peers.delete(from);
  }

  /** Removes the workers that have been silent for too long. */
  loseSilent(now: number): void {
    for (const [from, { heardAt }] of this.#peers) if (now - heardAt > SILENCE_MILLISECONDS) this.lose(from);
  }

  #add(from: string, peer: Peer, entry: PresenceEntry): void {
    if (peer.entries.has(entry.id)) return;
    peer.entries.set(entry.id, entry);
    this.#changes.added(from, entry);
  }

  #remove(from: string, peer: Peer, id: number): void {
    const entry = peer.entries.get(id);
    if (!entry) return;
    peer.entries.delete(id);
    this.#changes.removed(from, entry);
  }
}
