import { type Limit, limits } from './limits.ts';

/** A variable of the node's environment: the only place with its name, values, default and words. */
export interface Variable {
  readonly name: `NINEFOLD_${string}`;
  /** The form of the value. `src/config` has a reader for each kind. */
  readonly kind:
    | 'text'
    | 'url'
    | 'number'
    | 'share'
    | 'choice'
    | 'flag'
    | 'hosts'
    | 'proxies'
    | 'networks'
    | 'headers'
    | 'storage'
    | 'backup';
  readonly default: string | number | boolean | null | readonly [];
  /** Describes a default that is not a fixed value. */
  readonly absent?: string;
  /** The minimum and the maximum of a number. */
  readonly range?: readonly [number, number];
  /** The only allowed values. */
  readonly values?: readonly string[];
  /** True if the variable with `_FILE` at the end of its name may name a file with the value. */
  readonly mayBeFile?: true;
  readonly meaning: string;
}

const defineVariables = <const Variables extends Readonly<Record<string, Variable>>>(variables: Variables) => variables;

/** Returns the name of the variable that names a file with the value of a variable. */
export const fileVariable = (name: Variable['name']): string => `${name}_FILE`;

/** The variables of the environment, by the property of the configuration that has their value. */
export const environment = defineVariables({
  home: { name: 'NINEFOLD_HOME', kind: 'text', default: '.ninefold', meaning: 'The folder for all data.' },
  host: {
    name: 'NINEFOLD_HOST',
    kind: 'text',
    default: '127.0.0.1',
    meaning: 'The address on which the server listens.',
  },
  port: {
    name: 'NINEFOLD_PORT',
    kind: 'number',
    default: 9009,
    range: [0, 65_535],
    meaning: 'The port on which the server listens; 0 is any free port.',
  },
  publicUrl: {
    name: 'NINEFOLD_URL',
    kind: 'url',
    default: null,
    absent: 'http://host:port',
    meaning: 'The URL that clients use, for a node behind a proxy.',
  },
  hosts: {
    name: 'NINEFOLD_HOSTS',
    kind: 'hosts',
    default: [],
    meaning:
      'Further host names and addresses of the node, separated by commas, such as console.internal,10.0.0.7. Requests with any other Host are refused with 421.',
  },
  domain: {
    name: 'NINEFOLD_DOMAIN',
    kind: 'text',
    default: null,
    meaning:
      'The domain of the apps: each has the origin <ref>.<domain>, without a path prefix. Without a domain, browsers reach an app at <ref>.localhost.',
  },
  defaultApp: {
    name: 'NINEFOLD_DEFAULT_APP',
    kind: 'text',
    default: null,
    meaning: 'The app that is served on every host except the node’s own, with paths that do not name it.',
  },
  trustedProxies: { ...limits.trustedProxies, name: limits.trustedProxies.variable, kind: 'proxies' },
  workers: {
    name: 'NINEFOLD_WORKERS',
    kind: 'number',
    default: null,
    absent: 'number of cores',
    range: [1, 256],
    meaning: 'The number of worker processes.',
  },
  databaseUrl: {
    name: 'NINEFOLD_DATABASE_URL',
    kind: 'text',
    mayBeFile: true,
    default: null,
    absent: 'the embedded PostgreSQL',
    meaning:
      'The URL of a PostgreSQL server: version 15 or newer with a superuser, or version 16 or newer with a login that has CREATEROLE, CREATEDB and BYPASSRLS: postgres://user:password@host:port/database, with the primary and its standbys as host:port,host:port. Parameters: sslmode, sslrootcert, channel_binding, target_session_attrs and host (the folder of a Unix socket). Ninefold creates roles and databases there, and leaves the databases postgres and template1 as they are.',
  },
  postgresBin: {
    name: 'NINEFOLD_POSTGRES_BIN',
    kind: 'text',
    default: null,
    absent: 'the programs of the npm package',
    meaning:
      'The folder with the programs of an installed PostgreSQL, version 15 or newer, that the embedded PostgreSQL runs, such as /usr/lib/postgresql/18/bin. Apps then have the extensions of that installation.',
  },
  postgresExtensions: {
    name: 'NINEFOLD_POSTGRES_EXTENSIONS',
    kind: 'text',
    default: null,
    absent: 'the extensions of PostgreSQL itself',
    meaning:
      'A folder with further extensions for the embedded PostgreSQL, such as pgvector: share/extension and lib, or an unpacked Debian package, built for the same major version. The server runs their code.',
  },
  masterKeyFile: {
    name: 'NINEFOLD_MASTER_KEY_FILE',
    kind: 'text',
    default: null,
    absent: 'secrets/master-key in NINEFOLD_HOME, which the first start creates',
    meaning: 'The file with the key that encrypts the secrets of apps: 32 bytes in base64url. It is only read.',
  },
  operatorTokenFile: {
    name: 'NINEFOLD_OPERATOR_TOKEN_FILE',
    kind: 'text',
    default: null,
    absent: 'secrets/operator-token in NINEFOLD_HOME, which the first start creates',
    meaning: 'The file with the token of the command line. It is only read.',
  },
  postgresPort: {
    name: 'NINEFOLD_POSTGRES_PORT',
    kind: 'number',
    default: 0,
    absent: 'a free port, reused after a restart',
    range: [0, 65_535],
    meaning: 'The port of the embedded PostgreSQL.',
  },
  storageUrl: {
    name: 'NINEFOLD_STORAGE_URL',
    kind: 'storage',
    default: null,
    absent: 'the folder files in NINEFOLD_HOME',
    meaning:
      'The S3 bucket for the bytes of files: s3://bucket/prefix, with the parameters endpoint (by default Amazon’s), region (by default us-east-1) and style (path or host), such as s3://files?endpoint=https://s3.example.com&region=eu-1. The credentials need the permission to list the bucket.',
  },
  storageFrom: {
    name: 'NINEFOLD_STORAGE_FROM',
    kind: 'storage',
    default: null,
    absent: 'no earlier bucket',
    meaning:
      'An earlier S3 bucket, with the same credentials, from which `ninefold storage move` moves the bytes of files. Until then, the node reads from both.',
  },
  storageKey: {
    name: 'NINEFOLD_STORAGE_KEY',
    kind: 'text',
    mayBeFile: true,
    default: null,
    meaning: 'The access key of the S3 bucket.',
  },
  storageSecret: {
    name: 'NINEFOLD_STORAGE_SECRET',
    kind: 'text',
    mayBeFile: true,
    default: null,
    meaning: 'The secret key of the S3 bucket.',
  },
  backupTarget: {
    name: 'NINEFOLD_BACKUP_URL',
    kind: 'backup',
    default: null,
    absent: 'the folder backups in NINEFOLD_HOME for the embedded PostgreSQL, off for any other server',
    meaning:
      'Where backups are stored: a folder, or an S3 bucket in the form of NINEFOLD_STORAGE_URL. `off` takes no backups.',
  },
  backupKey: {
    name: 'NINEFOLD_BACKUP_KEY',
    kind: 'text',
    mayBeFile: true,
    default: null,
    absent: 'NINEFOLD_STORAGE_KEY',
    meaning: 'The access key of the S3 bucket of the backups.',
  },
  backupSecret: {
    name: 'NINEFOLD_BACKUP_SECRET',
    kind: 'text',
    mayBeFile: true,
    default: null,
    absent: 'NINEFOLD_STORAGE_SECRET',
    meaning: 'The secret key of the S3 bucket of the backups.',
  },
  mailUrl: {
    name: 'NINEFOLD_SMTP_URL',
    kind: 'url',
    mayBeFile: true,
    default: null,
    absent: 'no mails of the node',
    meaning:
      'The mail server for the warnings that the node sends to its owners: smtps://user:password@host:465, or smtp:// with STARTTLS. The mails of apps have settings of their own.',
  },
  mailSender: {
    name: 'NINEFOLD_MAIL_FROM',
    kind: 'text',
    default: null,
    absent: 'required with NINEFOLD_SMTP_URL',
    meaning: 'The address from which the node sends its warnings: Ninefold <ninefold@example.com>.',
  },
  brokerUrl: {
    name: 'NINEFOLD_BROKER_URL',
    kind: 'text',
    mayBeFile: true,
    default: null,
    absent: 'PostgreSQL',
    meaning:
      'The Redis or Valkey server that passes the messages of realtime between nodes: redis://user:password@host:port/db, or rediss:// for TLS.',
  },
  httpAllowed: {
    name: 'NINEFOLD_HTTP_ALLOW',
    kind: 'networks',
    default: [],
    meaning:
      'Non-public addresses and networks that HTTP requests from SQL, mail servers and sign-in providers may use, such as 10.1.0.0/16,127.0.0.1:8080.',
  },
  functions: {
    name: 'NINEFOLD_FUNCTIONS',
    kind: 'choice',
    default: null,
    absent: 'on with the embedded PostgreSQL, off with any other server',
    values: ['on', 'off'],
    meaning: 'on runs the edge functions of apps on this node; off refuses their calls.',
  },
  deno: {
    name: 'NINEFOLD_DENO',
    kind: 'text',
    default: null,
    absent: 'the program of the npm package deno',
    meaning: 'The program deno that runs edge functions, version 2.9 or newer.',
  },
  npmRegistry: {
    name: 'NINEFOLD_NPM_REGISTRY',
    kind: 'url',
    default: 'https://registry.npmjs.org',
    meaning: 'The registry from which a deployment of edge functions loads npm packages.',
  },
  jsrRegistry: {
    name: 'NINEFOLD_JSR_REGISTRY',
    kind: 'url',
    default: 'https://jsr.io',
    meaning: 'The registry from which a deployment of edge functions loads JSR packages.',
  },
  logLevel: {
    name: 'NINEFOLD_LOG',
    kind: 'choice',
    default: 'info',
    values: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    meaning: 'The lowest level that is logged: trace, debug, info, warn, error, fatal or silent.',
  },
  logFormat: {
    name: 'NINEFOLD_LOG_FORMAT',
    kind: 'choice',
    default: 'events',
    values: ['events', 'json'],
    meaning:
      'json adds one line for each request to the log, with fixed field names for log shippers. events logs requests only at the level debug.',
  },
  metricsPort: {
    name: 'NINEFOLD_METRICS_PORT',
    kind: 'number',
    default: null,
    absent: 'no own port',
    range: [0, 65_535],
    meaning:
      'A port that serves only /metrics, without a token; 0 is any free port. Without it, /metrics on the node’s origin needs the operator’s token.',
  },
  metricsHost: {
    name: 'NINEFOLD_METRICS_HOST',
    kind: 'text',
    default: '127.0.0.1',
    meaning: 'The address on which NINEFOLD_METRICS_PORT listens.',
  },
  otlpUrl: {
    name: 'NINEFOLD_OTLP_URL',
    kind: 'url',
    default: null,
    meaning:
      'The OpenTelemetry collector (OTLP over HTTP) that gets the spans of sampled requests, such as http://127.0.0.1:4318. The node appends /v1/traces.',
  },
  otlpHeaders: {
    name: 'NINEFOLD_OTLP_HEADERS',
    kind: 'headers',
    default: null,
    meaning:
      'Headers for the collector, separated by commas, such as authorization=Bearer%20token. Values are percent-encoded.',
  },
  otlpSampling: {
    name: 'NINEFOLD_OTLP_SAMPLING',
    kind: 'share',
    default: 0.01,
    meaning:
      'The share of requests without traceparent that start a trace, from 0 to 1. Requests with traceparent follow its flag.',
  },
  readyJson: {
    name: 'NINEFOLD_READY_JSON',
    kind: 'flag',
    default: false,
    absent: 'off',
    meaning: '1 prints one JSON line on stdout when the node is ready, for programs that start it.',
  },
});

interface NumberVariable extends Variable {
  readonly kind: 'number';
  readonly default: number;
}

/** Returns the variables that change limits, except those of `environment`, by the name of the limit. */
const variablesOf = <Limits extends Readonly<Record<string, Limit>>>(of: Limits) =>
  Object.fromEntries(
    Object.entries(of).flatMap(([limit, { variable, ...rest }]): [string, NumberVariable][] =>
      variable === undefined || Object.hasOwn(environment, limit)
        ? []
        : [[limit, { ...rest, name: variable, kind: 'number' }]],
    ),
  ) as {
    readonly [Name in keyof Limits as Name extends keyof typeof environment
      ? never
      : Limits[Name] extends { variable: string }
        ? Name
        : never]: NumberVariable;
  };

/** The variables that change a limit and are defined by it, by the name of the limit. */
export const limitVariables = variablesOf(limits);

/** Describes the default of a variable. */
export function defaultWords({ absent, default: value }: Variable): string {
  if (absent !== undefined) return absent;
  return value === null || Array.isArray(value) ? 'none' : String(value);
}
