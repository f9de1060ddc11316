/** Whether a worker accepts further requests. A load balancer reads it at `/ready`. */
export class Readiness {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Makes `/ready` answer 503, so that load balancers send no further requests. Requests are still answered. */
  drain(): void {
    this.#isDraining = true;
  }
}
