import { limitsOf } from './limit.ts';

/** Limits of connections, waiting times, and the amount of data that is read from a database. */
export const databaseLimits = limitsOf('database', {
  statementMilliseconds: {
    unit: 'milliseconds',
    default: 8000,
    meaning:
      'How long one data call may run in the database. A statement_timeout of the caller’s role (alter role anon set …) is not applied.',
    setting: 'db_statement_timeout',
    range: [0, 2_147_483_647],
    isNullable: true,
    code: '57014',
  },
  catalogLockMilliseconds: {
    unit: 'milliseconds',
    default: 500,
    meaning:
      'How long reading the catalog for the specification waits for a schema change in progress before it gives up and retries.',
  },
  poolConnections: {
    unit: 'count',
    default: 8,
    meaning: 'Maximum connections of one worker to one app.',
    variable: 'NINEFOLD_POOL',
    range: [1, 100],
  },
  appConnections: {
    unit: 'count',
    default: 100,
    meaning: 'Connections that all workers together may open to one app.',
    code: '53300',
  },
  ownerConnections: {
    unit: 'count',
    default: 20,
    meaning:
      'Connections that the owner of one app may open, for the SQL page, migrations and the builder’s own programs.',
  },
  nodeConnections: {
    unit: 'count',
    default: 320,
    meaning:
      'Maximum connections of one node to the databases of its apps; fewer if the server allows fewer. Above this, a request waits for a connection for poolWaitSeconds.',
    variable: 'NINEFOLD_CONNECTIONS',
    range: [8, 10_000],
  },
  idleConnections: {
    unit: 'count',
    default: 96,
    meaning:
      'Connections of one node to the databases of its apps above which opening another connection closes the longest idle one first.',
  },
  poolIdleSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'Time without a request after which an app closes its connections.',
    variable: 'NINEFOLD_POOL_IDLE_SECONDS',
    range: [1, 86_400],
  },
  poolWaitSeconds: {
    unit: 'seconds',
    default: 10,
    meaning: 'How long a request waits for a connection before it is answered with 504.',
    setting: 'db_pool_acquisition_timeout',
    range: [1, 600],
    code: 'PGRST003',
  },
  listenerTrustMilliseconds: {
    unit: 'milliseconds',
    default: 1000,
    meaning:
      'How long a worker uses cached sessions, settings and schemas after the last proof that its listener connection missed no change. The next request waits for a new proof, which takes one round trip.',
  },
  listenerAnswerMilliseconds: {
    unit: 'milliseconds',
    default: 1500,
    meaning: 'How long the listener connection may take for this proof before the worker replaces the connection.',
  },
  schemaLockMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long loading the schema cache waits for a table that is being changed.',
    code: 'PGRST002',
  },
  nestedViews: {
    unit: 'count',
    default: 16,
    meaning: 'Levels of views within views that are followed to find out whose privileges apply.',
  },
  schemaStepLockMilliseconds: {
    unit: 'milliseconds',
    default: 3000,
    meaning: 'How long an update of Ninefold’s own schema in an app’s database waits for a table that is in use.',
  },
  appMoveRetrySeconds: {
    unit: 'seconds',
    default: 2,
    meaning: 'When a client tries again while its app moves to another PostgreSQL server (Retry-After).',
    code: 'app_moving',
  },
  leftDatabaseSeconds: {
    unit: 'seconds',
    default: 86_400,
    meaning: 'How long the closed database of an app stays on the PostgreSQL server that the app has left.',
  },
  schemaRetryMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning:
      'How long after a failed update of Ninefold’s schema in an app’s database the update is retried, when the app is called or listed.',
    code: 'app_outdated',
  },
  listedUpdates: {
    unit: 'count',
    default: 8,
    meaning: 'Apps with an outstanding update of Ninefold’s schema that a list of all apps updates at once.',
  },
  analysedTableBytes: {
    unit: 'bytes',
    default: 67_108_864,
    meaning:
      'The largest table of a copied database, or of any database after a crash of the server, that is analyzed automatically.',
  },
  analyseAfterMilliseconds: {
    unit: 'milliseconds',
    default: 15_000,
    meaning: 'How long after the opening of an app the worker looks for tables that must be analyzed.',
  },
  analyseMilliseconds: {
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long analyzing all tables of an app may take.',
  },
  argumentsOfFunction: {
    unit: 'count',
    default: 100,
    meaning: 'Arguments of one function (fixed when PostgreSQL is built).',
    code: '54023',
  },
  tableColumns: {
    unit: 'count',
    default: 1600,
    meaning:
      'Columns of one table. Wide columns reduce the number, because a row without its long values must fit into a page of 8,192 bytes.',
    code: '54011',
  },
  indexedValueBytes: {
    unit: 'bytes',
    default: 2704,
    meaning: 'The longest entry of a B-tree index after compression, for example of a unique text.',
    code: '54000',
  },
  arrayDimensions: {
    unit: 'count',
    default: 6,
    meaning: 'Dimensions of an array.',
    code: '54000',
  },
  nameBytes: {
    unit: 'bytes',
    default: 63,
    meaning: 'The longest name of a table, a column or a function. PostgreSQL cuts longer names.',
  },
  valueBytes: {
    unit: 'bytes',
    default: 1_073_741_823,
    meaning: 'The longest value of a field, and the longest text that a function may build.',
    code: '54000',
  },
  vaultSecretBytes: {
    unit: 'bytes',
    default: 65_536,
    meaning: 'The longest secret of the Vault.',
    code: '54000',
  },
  appDatabaseRoles: {
    unit: 'count',
    default: 50,
    meaning:
      'Database roles that one app creates. A dropped role counts until an app of the server is deleted or the node starts again.',
    code: '54000',
  },
  serverDatabaseRoles: {
    unit: 'count',
    default: 2000,
    meaning: 'Database roles with different names that the apps of a PostgreSQL server create.',
    code: '54000',
  },
  databaseRoleLockSeconds: {
    unit: 'seconds',
    default: 5,
    meaning:
      'How long the creation of a database role waits for another app that creates the same name at this moment.',
    code: '55P03',
  },
  queueNameCharacters: {
    unit: 'characters',
    default: 47,
    meaning: 'The longest name of a queue of pgmq.',
    code: '22023',
  },
  notifyPayloadBytes: {
    unit: 'bytes',
    default: 7999,
    meaning: 'The longest payload of NOTIFY.',
    code: '22023',
  },
});
