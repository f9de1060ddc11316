/** Where a front end wants a member to return. It is read from the address of the page. */
export interface Destination {
  readonly redirect_to: string;
  readonly code_challenge: string | null;
  readonly code_challenge_method: string | null;
  /** The destination as members see it: the host of the address, or the complete address if it has no host. */
  readonly place: string;
}

/** Reads the destination from the query of the page. The server decides whether the destination is allowed. */
export function readDestination(search: string): Destination {
  const query = new URLSearchParams(search);
  const redirect_to = query.get('redirect_to') ?? '';
  return {
    redirect_to,
    code_challenge: query.get('code_challenge'),
    code_challenge_method: query.get('code_challenge_method'),
    place: URL.canParse(redirect_to) ? new URL(redirect_to).host || redirect_to : redirect_to,
  };
}

/** Time after a sign-in during which the member need not confirm the destination. */
const JUST_NOW_MILLISECONDS = 120_000;

/**
 * Returns true if the member has just signed in, so that they need not confirm the destination. At any later time they
 * must: otherwise any site could send a member to an allowed address, such as a port of this machine, which would then
 * get a session.
 * @param lastSignIn Time in ISO 8601.
 */
export const hasJustSignedIn = (lastSignIn: string | undefined, now = Date.now()): boolean =>
  lastSignIn !== undefined && Math.abs(now - Date.parse(lastSignIn)) < JUST_NOW_MILLISECONDS;
