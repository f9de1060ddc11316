/** Pause in ms after which a member begins a new visit. */
const PAUSE_MILLISECONDS = 30 * 60_000;

interface Visit {
  /** Time of the last page, in ms. */
  readonly seenAt: number;
  /** End of the visit before the current one, in ms; null during the first visit. */
  readonly before: number | null;
}

const nameOf = (userId: string): string => `ninefold-visit ${userId}`;

/** Records that a member uses the pages on this device. A longer pause begins a new visit. */
export function recordVisit(userId: string, now = Date.now()): void {
  const { seenAt, before } = read(userId) ?? { seenAt: now, before: null };
  const visit: Visit = { seenAt: now, before: now - seenAt > PAUSE_MILLISECONDS ? seenAt : before };
  try {
    localStorage.setItem(nameOf(userId), JSON.stringify(visit));
  } catch {
    // Without the storage, each visit is the first one.
  }
}

/** Returns the end of the member's last visit on this device; null for the first visit. */
export function lastVisit(userId: string): Date | null {
  const before = read(userId)?.before ?? null;
  return before === null ? null : new Date(before);
}

function read(userId: string): Visit | null {
  try {
    const stored = JSON.parse(localStorage.getItem(nameOf(userId)) ?? 'null') as Partial<Visit> | null;
    return typeof stored?.seenAt === 'number' ? { seenAt: stored.seenAt, before: stored.before ?? null } : null;
  } catch {
    return null;
  }
}
