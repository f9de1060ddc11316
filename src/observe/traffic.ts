/** Counts the calls of apps that a worker is answering. Builders' calls do not count: they wait for what the background records. */
export class Traffic {
  /** Calls that have begun and have no answer yet. */
  inFlight = 0;
}
