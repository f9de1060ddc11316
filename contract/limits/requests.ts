import type { Limit } from './limit.ts';

/** What a request may be, and how many may come. */
export const requestLimits = {
  bodyBytes: {
    group: 'requests',
    unit: 'bytes',
    default: 10 * 1024 * 1024,
    meaning: 'The largest request body.',
    setting: 'request_body_bytes',
    range: [1024, 64 * 1024 * 1024],
    code: 'body_too_large',
  },
  urlBytes: {
    group: 'requests',
    unit: 'bytes',
    default: 32 * 1024,
    meaning: 'The longest request line and headers together.',
    code: 'headers_too_large',
  },
  requestSeconds: {
    group: 'requests',
    unit: 'seconds',
    default: 120,
    meaning: 'How long a request may take to arrive, headers and body together.',
    code: 'request_timeout',
  },
  queryDepth: {
    group: 'requests',
    unit: 'count',
    default: 64,
    meaning: 'How deep embedded relations and logic trees in a query string may be nested.',
    code: 'PGRST100',
  },
  requestsPerAddress: {
    group: 'requests',
    unit: 'count',
    default: 0,
    meaning: 'Requests per second from one client address, each worker for itself; 0 is no limit.',
    setting: 'NINEFOLD_REQUESTS_PER_SECOND',
    range: [0, 1_000_000],
    code: 'too_many_requests',
  },
  rememberedAddresses: {
    group: 'requests',
    unit: 'count',
    default: 50_000,
    meaning: 'Client addresses whose requests one worker counts; the longest unseen is forgotten first.',
  },
  trustedProxies: {
    group: 'requests',
    unit: 'count',
    default: 0,
    meaning:
      'Proxies in front of the node that are trusted to name the client in X-Forwarded-For; their addresses and networks (CIDR) may stand in place of the number.',
    setting: 'NINEFOLD_TRUST_PROXY',
    range: [0, 32],
  },
  routeCharacters: {
    group: 'requests',
    unit: 'characters',
    default: 200,
    meaning: 'The longest part of a path of the management API and of the pages, such as the ref of an app.',
    code: 'not_found',
  },
  closestNames: {
    group: 'requests',
    unit: 'count',
    default: 500,
    meaning: 'Names among which the hint for a misspelt one is looked for.',
  },
} as const satisfies Record<string, Limit>;
