/**
 * Signals that the client no longer waits for the response. Has only those members of AbortSignal that are used,
 * because creating an AbortSignal takes as much time as planning a query.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A body that is too large to buffer. Its bytes arrive as they are read, and the reader must read all of them or
 * destroy the stream.
 */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Length of the body in bytes; null if it is not known before the end. */
  readonly length: number | null;
  /** Discards the bytes that were not read. */
  destroy(): void;
}

/** The body of a request as it arrives. An API that takes a stream must not hold all bytes of it in memory. */
export interface IncomingBody extends AsyncIterable<Uint8Array> {
  /** The announced length in bytes; null for a chunked body. */
  readonly length: number | null;
}

/** The trace to which a request belongs (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The client's span, 16 hexadecimal digits; null if the trace begins with this request. */
  readonly parentId: string | null;
  /** The span of this request, 16 hexadecimal digits. */
  readonly spanId: string;
  /** True if the spans of the trace are recorded. */
  readonly isSampled: boolean;
  /** The header tracestate; null without a valid one. */
  readonly state: string | null;
}

/** One HTTP request as the handlers of an API receive it, independent of any HTTP framework. */
export interface CallRequest {
  method: string;
  /** Path below the API's prefix, starting with `/`, percent-encoded: `/tickets` for /apps/x/rest/v1/tickets. */
  path: string;
  /** The raw query string without `?`; empty when there is none. */
  query: string;
  /** The headers, with names in lower case. Repeated headers are joined as node:http joins them. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The whole body; null when the request has none, or if the API takes a stream. */
  body: Uint8Array | null;
  /** The body for an API that takes a stream; null when the request has none. */
  stream: IncomingBody | null;
  /** Path and query as the client sent them, with the prefix of the app. */
  target: string;
  /** The client's address. */
  address: string;
  requestId: string;
  /** The trace to which the request belongs; null or absent if it belongs to none. */
  trace?: TraceContext | null;
  /** URL of the app as the client sees it, without a trailing slash: http://host:port/apps/<ref>. */
  baseUrl: string;
  /** Aborted when the client disconnects. */
  signal: CancelSignal;
}

/** The response of a handler. Its bytes are sent unchanged. */
export interface Reply {
  status: number;
  /** For an error response: the error code in the body. */
  code?: string;
  /** The headers of the response, with names in lower case. */
  headers: Record<string, string>;
  /**
   * The header `location` that Ninefold itself chose: the address of a redirect, or of an upload. Functions of the app can set the header `location` too, so the server
   * removes that header from responses on the node's own origin, but sends this address.
   */
  redirect?: string;
  /** Values of Set-Cookie, the one header that cannot be joined into a list. Each value is sent as its own header. */
  cookies?: readonly string[];
  /** True if Ninefold itself chose `cookies`, and not the app. Only then they are sent on the node's own origin. */
  hasOwnCookies?: true;
  /** True if `headers` decide which origins may read the response: no header for other origins is added. */
  decidesCors?: true;
  body: string | Uint8Array | BodyStream | null;
}
