/** Path of the node's documentation of errors. */
export const ERROR_PAGES = '/docs/errors';

/** Returns the Link header of an error (RFC 8288): the page of this node that explains its code. */
export const helpLink = (code: string): string => `<${ERROR_PAGES}/${encodeURIComponent(code)}>; rel="help"`;
