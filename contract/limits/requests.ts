import { limitsOf } from './limit.ts';

/** Limits of the size and rate of requests. */
export const requestLimits = limitsOf('requests', {
  bodyBytes: {
    unit: 'bytes',
    default: 10 * 1024 * 1024,
    meaning: 'The largest request body.',
    setting: 'request_body_bytes',
    range: [1024, 64 * 1024 * 1024],
    code: 'body_too_large',
  },
  anonymousBodyBytes: {
    unit: 'bytes',
    default: 1024 * 1024,
    meaning: 'The largest request body of a caller without a session and without a secret key.',
    setting: 'request_body_bytes_anonymous',
    range: [1024, 64 * 1024 * 1024],
    code: 'anonymous_body_too_large',
  },
  heldBodyBytes: {
    unit: 'bytes',
    default: 256 * 1024 * 1024,
    meaning:
      'Request bodies that one worker holds while they arrive and until they are answered. Above this, the slowest of the arriving bodies are refused.',
    code: 'too_many_bodies',
  },
  threadBodyBytes: {
    unit: 'bytes',
    default: 64 * 1024,
    meaning: 'Size from which a worker parses the body of a data request in a separate thread.',
  },
  parserMemory: {
    unit: 'bytes',
    default: 512 * 1024 * 1024,
    meaning: 'Memory of the thread that parses large bodies.',
    code: 'body_too_complex',
  },
  parseMilliseconds: {
    unit: 'milliseconds',
    default: 30_000,
    meaning: 'How long the thread that parses large bodies may take for one body.',
    code: 'body_too_complex',
  },
  bodyColumns: {
    unit: 'count',
    default: 1664,
    meaning: 'Columns of one row of a body. A row of PostgreSQL cannot have more.',
    code: 'PGRST102',
  },
  bodyNameCharacters: {
    unit: 'characters',
    default: 200,
    meaning: 'How much of a name in a body an error contains.',
  },
  bodyValues: {
    unit: 'count',
    default: 20_000,
    meaning: 'Values in a JSON body of /auth/v1 and of the management API.',
    code: 'bad_json',
  },
  bodyDepth: {
    unit: 'count',
    default: 10_000,
    meaning: 'How deeply objects and arrays may be nested in a body of a data request. PostgreSQL accepts less.',
    code: 'PGRST102',
  },
  formFields: {
    unit: 'count',
    default: 10_000,
    meaning: 'Fields of a form.',
    code: 'PGRST102',
  },
  csvRowsBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'Size of the rows of a CSV body as JSON, which repeats the column names in each row.',
    code: 'body_too_large',
  },
  urlBytes: {
    unit: 'bytes',
    default: 32 * 1024,
    meaning: 'The longest request line and headers together.',
    code: 'headers_too_large',
  },
  requestSeconds: {
    unit: 'seconds',
    default: 120,
    meaning: 'How long a request may take to arrive, headers and body together.',
    code: 'request_timeout',
  },
  headersSeconds: {
    unit: 'seconds',
    default: 20,
    meaning: 'How long the request line and the headers may take to arrive.',
    code: 'request_timeout',
  },
  connectionsPerWorker: {
    unit: 'count',
    default: 10_000,
    meaning:
      'Client connections of one worker; at most half of its file descriptors. Idle connections are closed first.',
  },
  keepAliveSeconds: {
    unit: 'seconds',
    default: 125,
    meaning:
      'How long a client connection may be idle between two requests. A proxy must keep its idle connections for a shorter time.',
    variable: 'NINEFOLD_KEEP_ALIVE_SECONDS',
    range: [1, 3600],
  },
  drainMilliseconds: {
    unit: 'milliseconds',
    default: 300,
    meaning:
      'How long a stopping worker keeps idle client connections open. A request of this time gets its response with Connection: close.',
  },
  drainSeconds: {
    unit: 'seconds',
    default: 0,
    meaning:
      'How long a node still serves after SIGTERM, while /ready and /health return 503 and each response ends its connection. A balancer must find this out within the time.',
    variable: 'NINEFOLD_DRAIN_SECONDS',
    range: [0, 3600],
  },
  pipelinedRequests: {
    unit: 'count',
    default: 100,
    meaning:
      'Requests that wait on one connection for the response to an earlier one. More requests end the connection.',
  },
  queryDepth: {
    unit: 'count',
    default: 64,
    meaning: 'How deeply embedded relations and logic trees in a query string may be nested.',
    code: 'PGRST100',
  },
  requestsPerAddress: {
    unit: 'count',
    default: 0,
    meaning:
      'Requests per second from one client network, over all workers of a node; 0 is no limit. Each node counts for itself.',
    variable: 'NINEFOLD_REQUESTS_PER_SECOND',
    range: [0, 1_000_000],
    code: 'too_many_requests',
  },
  rememberedAddresses: {
    unit: 'count',
    default: 50_000,
    meaning:
      'Client networks whose requests one worker counts. The one without requests for the longest time is removed first.',
  },
  trustedProxies: {
    unit: 'count',
    default: 0,
    meaning:
      'Trusted proxies in front of the node, which name the client in X-Forwarded-For: their number, or their addresses and networks (CIDR), such as 10.0.0.0/8,::1.',
    variable: 'NINEFOLD_TRUST_PROXY',
    range: [0, 32],
  },
  routeCharacters: {
    unit: 'characters',
    default: 200,
    meaning: 'The longest segment of a path of the management API and of the pages, for example the ref of an app.',
    code: 'not_found',
  },
  requestIdCharacters: {
    unit: 'characters',
    default: 128,
    meaning: 'The longest X-Request-Id of a client. A request with a longer one gets an id of the server.',
  },
  closestNames: {
    unit: 'count',
    default: 500,
    meaning: 'Names that are compared for the hint to a misspelt name.',
  },
});
