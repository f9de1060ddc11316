/** One HTTP request as the handlers of an area see it, free of any HTTP framework. */
export interface Exchange {
  method: string;
  /** Below the area's prefix, starting with `/`, still percent-encoded: `/tickets` for /apps/x/rest/v1/tickets. */
  path: string;
  /** The raw query string without `?`; empty when there is none. */
  query: string;
  /** Names in lower case; repeated headers joined as node:http joins them. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The whole body; null when the request has none. */
  body: Uint8Array | null;
  /** The client's address. */
  address: string;
  requestId: string;
  /** URL of the app as the client sees it, without a trailing slash: http://host:port/apps/<ref>. */
  baseUrl: string;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
}

/** What a handler answers. Bytes go out as they are. */
export interface Reply {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Values of Set-Cookie, the one header that cannot be joined into a list: each goes out by itself. */
  cookies?: readonly string[];
  body: string | Uint8Array | null;
}
