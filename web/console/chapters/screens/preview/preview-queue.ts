import { createContext } from 'react';

/** Number of pictures that start at the same time: each loads the pages for members and their rows. */
const STARTING = 3;
/** Number of pictures that stay. Each is a page of its own, which takes some 20 MB. */
const STAYING = 24;

interface Entry {
  readonly set: (isStarted: boolean) => void;
  state: 'waiting' | 'starting' | 'settled';
  isVisible: boolean;
}

/** Decides which pictures of a page are loaded: the visible ones, a few at a time. A picture stays after it was seen. */
export class PreviewQueue {
  readonly #entries = new Set<Entry>();

  /**
   * Adds a picture.
   * @param set Is called with true to load the picture, and with false to remove it.
   */
  enter(set: (isStarted: boolean) => void) {
    const entry: Entry = { set, state: 'waiting', isVisible: false };
    this.#entries.add(entry);
    return {
      see: (isVisible: boolean) => {
        entry.isVisible = isVisible;
        this.#advance();
      },
      settle: () => {
        if (entry.state === 'starting') entry.state = 'settled';
        this.#advance();
      },
      leave: () => {
        this.#entries.delete(entry);
        this.#advance();
      },
    };
  }

  #advance(): void {
    for (const entry of this.#entries) {
      if (entry.state !== 'waiting' || !entry.isVisible) continue;
      if (this.#in('starting').length >= STARTING) return;
      this.#makeRoom();
      entry.state = 'starting';
      entry.set(true);
    }
  }

  #makeRoom(): void {
    const settled = this.#in('settled');
    const unseen = settled.find(({ isVisible }) => !isVisible);
    if (settled.length < STAYING || !unseen) return;
    unseen.state = 'waiting';
    unseen.set(false);
  }

  #in(state: Entry['state']): Entry[] {
    return [...this.#entries].filter((entry) => entry.state === state);
  }
}

/** Context with the queue of the pictures of a page; without one, each picture starts at once. */
export const PreviewQueueContext = createContext<PreviewQueue | null>(null);
