/**
 * Returns the request id of a pasted text: the value of the header x-request-id, with or without its name. Returns null
 * for other texts. Ids are long, contain a digit and no spaces, so that no search word is read as an id.
 */
export function requestIdIn(query: string): string | null {
  const text = query.trim().replace(/^x-request-id:\s*/i, '');
  return /^[\w.:-]{12,128}$/.test(text) && /\d/.test(text) ? text : null;
}
