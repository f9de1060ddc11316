/** Returns the secret of a link, `…#token=…`. The part after # is never sent to a server. */
export const secretOfLink = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
