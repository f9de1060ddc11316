/** The answer of a worker at `/ready`: a load balancer sends further requests until it is draining. */
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
