/** Counts the calls that a worker is answering. */
export class Traffic {
  /** Calls that have begun and have no answer yet. */
  inFlight = 0;
}
