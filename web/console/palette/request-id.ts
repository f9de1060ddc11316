/**
 * Returns the request id in a pasted text: the value of the header x-request-id, with or without the name of the
 * header. Returns null for any other text. An id is long, contains a digit and no spaces, so no word of a search is
 * read as an id.
 */
export function requestIdIn(query: string): string | null {
  const text = query.trim().replace(/^x-request-id:\s*/i, '');
  return /^[\w.:-]{12,128}$/.test(text) && /\d/.test(text) ? text : null;
}
