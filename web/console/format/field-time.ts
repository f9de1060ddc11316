/**
 * Returns a time as a field of the type datetime-local takes it, in the time zone of the browser.
 * @param time Milliseconds since 1970.
 */
export const fieldTime = (time: number, hasSeconds = false): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, hasSeconds ? 19 : 16);
