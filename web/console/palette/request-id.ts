/**
 * The request id in what was pasted: as it stands in the header x-request-id, with or without its name. Null for what is
 * none: ids are long, without spaces, and hold a digit, so that a word that is searched for is not taken for one.
 */
export function requestIdIn(query: string): string | null {
  const text = query.trim().replace(/^x-request-id:\s*/i, '');
  return /^[\w.:-]{12,128}$/.test(text) && /\d/.test(text) ? text : null;
}
