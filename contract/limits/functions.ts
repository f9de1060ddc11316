import { limitsOf } from './limit.ts';

const MIB = 1024 * 1024;

/** Limits of edge functions. */
export const functionLimits = limitsOf('functions', {
  functions: {
    unit: 'count',
    default: 100,
    meaning: 'Edge functions of an app.',
    code: 'function_limit_reached',
  },
  functionSourceFiles: {
    unit: 'count',
    default: 500,
    meaning: 'Files of one version of an edge function.',
    code: 'validation_invalid',
  },
  functionSourceBytes: {
    unit: 'bytes',
    default: 10 * MIB,
    meaning: 'The size of all files of one version of an edge function.',
    code: 'validation_invalid',
  },
  functionBundleBytes: {
    unit: 'bytes',
    default: 20 * MIB,
    meaning: 'The size of an edge function with everything that it imports.',
    code: 'function_not_bundled',
  },
  functionsBundleBytes: {
    unit: 'bytes',
    default: 100 * MIB,
    meaning: 'The size of all active edge functions of an app together, which one process loads.',
    code: 'function_limit_reached',
  },
  functionPackageBytes: {
    unit: 'bytes',
    default: 200 * MIB,
    meaning: 'The size of all packages and modules that a deployment loads.',
    code: 'function_not_bundled',
  },
  functionBundleSeconds: {
    unit: 'seconds',
    default: 120,
    meaning: 'How long loading and bundling what an edge function imports may take.',
    code: 'function_not_bundled',
  },
  functionDeployments: {
    unit: 'count',
    default: 2,
    meaning: 'Concurrent deployments of edge functions of one worker; one of them for one app.',
    code: 'function_busy',
  },
  functionVersions: {
    unit: 'count',
    default: 10,
    meaning: 'Versions of an edge function that an app stores. Another deployment deletes the oldest.',
  },
  functionSecrets: {
    unit: 'count',
    default: 100,
    meaning: 'Secrets of the edge functions of an app.',
    code: 'validation_invalid',
  },
  functionSecretBytes: {
    unit: 'bytes',
    default: 48 * 1024,
    meaning: 'Size of one secret of edge functions.',
    code: 'validation_invalid',
  },
  functionSeconds: {
    unit: 'seconds',
    default: 150,
    variable: 'NINEFOLD_FUNCTION_SECONDS',
    range: [1, 3600],
    meaning:
      'How long one call of an edge function may take, from the request to the end of the response or of the WebSocket.',
    code: 'function_timeout',
  },
  functionStartSeconds: {
    unit: 'seconds',
    default: 10,
    meaning: 'How long an edge function may take to load before it answers its first call.',
    code: 'function_not_started',
  },
  functionProcessorSeconds: {
    unit: 'seconds',
    default: 4,
    variable: 'NINEFOLD_FUNCTION_PROCESSOR_SECONDS',
    range: [1, 600],
    meaning: 'Processor time that the edge functions of an app may use without finishing a call.',
    code: 'function_processor_exceeded',
  },
  functionMemoryBytes: {
    unit: 'bytes',
    default: 512 * MIB,
    variable: 'NINEFOLD_FUNCTION_MEMORY_BYTES',
    range: [96 * MIB, 16 * 1024 * MIB],
    meaning: 'Memory of the process that runs the edge functions of an app.',
    code: 'function_memory_exceeded',
  },
  functionsMemoryBytes: {
    unit: 'bytes',
    default: 1024 * MIB,
    variable: 'NINEFOLD_FUNCTIONS_MEMORY_BYTES',
    range: [128 * MIB, 256 * 1024 * MIB],
    meaning:
      'Memory of all processes that run edge functions on a node. The one that rests longest ends for a new one.',
    code: 'function_busy',
  },
  functionCalls: {
    unit: 'count',
    default: 100,
    variable: 'NINEFOLD_FUNCTION_CALLS',
    range: [1, 10_000],
    meaning: 'Concurrent calls of the edge functions of one app.',
    code: 'function_busy',
  },
  functionIdleSeconds: {
    unit: 'seconds',
    default: 60,
    variable: 'NINEFOLD_FUNCTION_IDLE_SECONDS',
    range: [1, 86_400],
    meaning: 'How long the process of an app’s edge functions stays without a call.',
  },
  functionRequestBytes: {
    unit: 'bytes',
    default: 20 * MIB,
    meaning: 'Size of the body of a call of an edge function.',
    code: 'body_too_large',
  },
  functionResponseBytes: {
    unit: 'bytes',
    default: 50 * MIB,
    meaning:
      'Size of a response of an edge function, and of all that it sends over a WebSocket. A longer one is cut off, and its connection closes.',
  },
  functionConnections: {
    unit: 'count',
    default: 100,
    meaning: 'Connections that the edge functions of an app have open: requests that they send, and to PostgreSQL.',
  },
  functionLogCharacters: {
    unit: 'characters',
    default: 10_000,
    meaning: 'The longest line that an edge function logs. The rest is cut off.',
  },
  functionLogLines: {
    unit: 'count',
    default: 100,
    meaning: 'Lines that the edge functions of an app can log in 10 seconds. Further lines are counted, not stored.',
  },
  functionLogsStored: {
    unit: 'count',
    default: 5000,
    meaning: 'Lines of output of edge functions that an app stores.',
  },
});
