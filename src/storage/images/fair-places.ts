/** The bounds of places that apps share. */
export interface PlaceBounds {
  /** The number of places that one app uses at the same time. */
  readonly perApp: number;
  /** The number of waiting works of one app. */
  readonly waitingPerApp: number;
  readonly waitMilliseconds: number;
  /** Returns the error of a work that may not wait, or not any longer. */
  readonly tooMany: () => Error;
}

type Waiting<Place> = (place: Place) => void;

/**
 * Places for work of apps, such as processes. The apps take turns: an app with many waiting works delays another app only by
 * the works that run. An app never uses all places if there is more than one.
 */
export class FairPlaces<Place> {
  readonly #free: Place[];
  readonly #bounds: PlaceBounds;
  readonly #running = new Map<string, number>();
  /** The waiting works of each app. The first app has waited longest for its turn. */
  readonly #waiting = new Map<string, Set<Waiting<Place>>>();

  constructor(places: readonly Place[], bounds: PlaceBounds) {
    this.#free = [...places];
    this.#bounds = bounds;
  }

  /**
   * Runs work in a place of its own.
   * @throws the error of `tooMany`, or of the work.
   */
  async run<T>(app: string, work: (place: Place) => Promise<T>): Promise<T> {
    const place = await this.#take(app);
    try {
      return await work(place);
    } finally {
      this.#giveBack(app, place);
    }
  }

  #take(app: string): Promise<Place> {
    const waiting = this.#waiting.get(app) ?? new Set();
    if (waiting.size >= this.#bounds.waitingPerApp) return Promise.reject(this.#bounds.tooMany());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#remove(app, start);
        reject(this.#bounds.tooMany());
      }, this.#bounds.waitMilliseconds).unref();
      const start: Waiting<Place> = (place) => {
        clearTimeout(timer);
        resolve(place);
      };
      waiting.add(start);
      this.#waiting.set(app, waiting);
      this.#startWaiting();
    });
  }

  #giveBack(app: string, place: Place): void {
    this.#free.push(place);
    const left = (this.#running.get(app) ?? 1) - 1;
    if (left === 0) this.#running.delete(app);
    else this.#running.set(app, left);
    // The app's next turn is after those of the other apps.
    const waiting = this.#waiting.get(app);
    if (waiting && this.#waiting.delete(app)) this.#waiting.set(app, waiting);
    this.#startWaiting();
  }

  #startWaiting(): void {
    for (const [app, waiting] of [...this.#waiting]) {
      const place = this.#free.at(-1);
      const running = this.#running.get(app) ?? 0;
      const [start] = waiting;
      if (place === undefined) return;
      if (start === undefined || running >= this.#bounds.perApp) continue;
      this.#free.pop();
      this.#running.set(app, running + 1);
      this.#remove(app, start);
      start(place);
    }
  }

  #remove(app: string, start: Waiting<Place>): void {
    const waiting = this.#waiting.get(app);
    waiting?.delete(start);
    if (waiting?.size === 0) this.#waiting.delete(app);
  }
}
