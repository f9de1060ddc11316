/** The part of an app's schedule that decides when the leader checks the app. */
export interface Candidate {
  /** Time at which known work of the app is due, in milliseconds since 1970; Infinity if none is known. */
  readonly due: number;
  /** Number of rows that the app has written since its last check, as far as PostgreSQL counted them. */
  readonly newWrites: number;
}

/**
 * Orders apps that must be checked. Apps with due work come first, the most overdue one at the beginning. Then come the
 * other apps, the busiest one first. After a crash of PostgreSQL all apps must be checked, and most of them have done
 * nothing.
 */
export const byUrgency =
  (now: number) =>
  (a: Candidate, b: Candidate): number => {
    const [isDue, isOtherDue] = [a.due <= now, b.due <= now];
    if (isDue && isOtherDue) return a.due - b.due;
    if (isDue !== isOtherDue) return isDue ? -1 : 1;
    return b.newWrites - a.newWrites;
  };

/**
 * Returns the number of rows that were written between two values of a write counter. The counter starts at 0 after a
 * crash of PostgreSQL.
 */
export function countWrites(before: string | null, after: string | null): number {
  const [from, to] = [Number(before ?? 0), Number(after ?? 0)];
  return to >= from ? to - from : to;
}
