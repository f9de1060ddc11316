/** Where the node explains errors. */
export const ERROR_PAGES = '/docs/errors';

/** The header Link of an error (RFC 8288): the page that explains its code, on this node. */
export const helpLink = (code: string): string => `<${ERROR_PAGES}/${encodeURIComponent(code)}>; rel="help"`;
