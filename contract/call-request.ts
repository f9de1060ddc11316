/**
 * Tells that nobody waits for the answer any more. The part of AbortSignal that is used here; one of those costs as much as
 * planning a query.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A body too large to hold: its bytes come as they are taken, and must be taken or destroyed. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** In bytes. */
  readonly length: number;
  /** Lets go of what was not taken. */
  destroy(): void;
}

/** One HTTP request as the handlers of an area see it, free of any HTTP framework. */
export interface CallRequest {
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
  signal: CancelSignal;
}

/** What a handler answers. Bytes go out as they are. */
export interface Reply {
  status: number;
  /** Of an error: the code that its body carries. */
  code?: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Where Ninefold itself redirects to. A header `location` may come from functions of the app, and is dropped on the node's origin. */
  redirect?: string;
  /** Values of Set-Cookie, the one header that cannot be joined into a list: each goes out by itself. */
  cookies?: readonly string[];
  body: string | Uint8Array | BodyStream | null;
}
