/**
 * Returns true if an If-None-Match header names the entity tag. Compares weakly (RFC 9110, section 13.1.2), because a
 * proxy that compresses the body marks the tag as weak.
 */
export const matchesEntityTag = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/**
 * Reads a Range header with one range of bytes (RFC 9110, section 14.1.2).
 * @returns the first and the last byte; `unsatisfiable`; or null for a header that the server ignores, such as several
 * ranges.
 */
export function readRange(header: string | undefined, length: number): [number, number] | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, from = '', to = ''] = match ?? [];
  if (from === '' && to === '') return null;
  if (from === '')
    return Number(to) === 0 || length === 0 ? 'unsatisfiable' : [Math.max(0, length - Number(to)), length - 1];
  if (to !== '' && Number(to) < Number(from)) return null;
  if (Number(from) >= length) return 'unsatisfiable';
  return [Number(from), to === '' ? length - 1 : Math.min(Number(to), length - 1)];
}
