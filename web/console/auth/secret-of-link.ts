/** Returns the secret of a link that ends with `#token=…`. Browsers never send the part after # to a server. */
export const secretOfLink = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
