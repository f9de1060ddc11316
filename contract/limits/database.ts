import type { Limit } from './limit.ts';

/** Connections, waits and what is read of a database. */
export const databaseLimits = {
  statementMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 8000,
    meaning:
      'How long one data call may run in the database; statement_timeout of a role that calls take on (alter role anon set …) is not applied.',
    setting: 'db_statement_timeout',
    range: [0, 2_147_483_647],
    code: '57014',
  },
  catalogLockMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 500,
    meaning:
      'How long reading the catalog for the specification waits for a schema change that is under way, before it gives way and tries again.',
  },
  poolConnections: {
    group: 'database',
    unit: 'count',
    default: 8,
    meaning: 'Connections that one worker opens to one app at most.',
    setting: 'NINEFOLD_POOL',
    range: [1, 100],
  },
  appConnections: {
    group: 'database',
    unit: 'count',
    default: 100,
    meaning: 'Connections that all workers together may open to one app.',
    code: '53300',
  },
  ownerConnections: {
    group: 'database',
    unit: 'count',
    default: 20,
    meaning:
      'Connections that the owner of one app may open: the SQL page, migrations and programs of a builder’s own.',
  },
  nodeConnections: {
    group: 'database',
    unit: 'count',
    default: 320,
    meaning:
      'Connections that one node opens to the databases of its apps at most; fewer where the server allows fewer. Beyond, a call waits for one as long as poolWaitSeconds says.',
    setting: 'NINEFOLD_CONNECTIONS',
    range: [8, 10_000],
  },
  idleConnections: {
    group: 'database',
    unit: 'count',
    default: 96,
    meaning:
      'Connections of one node to the databases of its apps from which on opening another one closes the longest idle connection first.',
  },
  poolIdleSeconds: {
    group: 'database',
    unit: 'seconds',
    default: 30,
    meaning: 'After how long without a call an app holds no connection.',
    setting: 'NINEFOLD_POOL_IDLE_SECONDS',
    range: [1, 86_400],
  },
  poolWaitSeconds: {
    group: 'database',
    unit: 'seconds',
    default: 10,
    meaning: 'How long a call waits for a connection before it is answered with 504.',
    setting: 'db_pool_acquisition_timeout',
    range: [1, 600],
    code: 'PGRST003',
  },
  listenerTrustMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 1000,
    meaning:
      'How long a worker uses cached sessions, settings and schemas after its listener connection last proved that no change is missing. The next call then waits for a new proof, one round trip.',
  },
  listenerAnswerMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 1500,
    meaning: 'How long the listener connection may take for that proof before the worker replaces it.',
  },
  schemaLockMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long the schema cache waits for a table that is being changed.',
    code: 'PGRST002',
  },
  nestedViews: {
    group: 'database',
    unit: 'count',
    default: 16,
    meaning: 'Views within views that are followed to tell whose rights decide.',
  },
  schemaStepLockMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 3000,
    meaning: 'How long an update of Ninefold’s own schema in an app’s database waits for a table that is in use.',
  },
  schemaRetryMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 5000,
    meaning:
      'How long after an app’s database refused such an update it is tried again, when the app is called or listed.',
    code: 'app_outdated',
  },
  listedUpdates: {
    group: 'database',
    unit: 'count',
    default: 8,
    meaning: 'Apps with such an update outstanding that a list of all apps has tried at once.',
  },
  analysedTableBytes: {
    group: 'database',
    unit: 'bytes',
    default: 67_108_864,
    meaning:
      'Up to which size a table of a copied database, or after a crash of the server, has its rows counted anew.',
  },
  analyseAfterMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 15_000,
    meaning: 'How long after an app was opened it is looked whether rows of it have to be counted anew.',
  },
  analyseMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long that may take for all tables of an app.',
  },
  argumentsOfFunction: {
    group: 'database',
    unit: 'count',
    default: 100,
    meaning: 'Arguments of one function, as PostgreSQL is built.',
    code: '54023',
  },
  tableColumns: {
    group: 'database',
    unit: 'count',
    default: 1600,
    meaning:
      'Columns of one table; fewer where they are wide, since a row without its long values must fit into a page of 8,192 bytes.',
    code: '54011',
  },
  indexedValueBytes: {
    group: 'database',
    unit: 'bytes',
    default: 2704,
    meaning: 'The longest entry of a B-tree index, after compression, such as a unique text.',
    code: '54000',
  },
  arrayDimensions: {
    group: 'database',
    unit: 'count',
    default: 6,
    meaning: 'Dimensions of an array.',
    code: '54000',
  },
  nameBytes: {
    group: 'database',
    unit: 'bytes',
    default: 63,
    meaning: 'The longest name of a table, a column or a function; PostgreSQL cuts longer ones.',
  },
  valueBytes: {
    group: 'database',
    unit: 'bytes',
    default: 1_073_741_823,
    meaning: 'The longest value of a field, and the longest text that a function may build.',
    code: '54000',
  },
  notifyPayloadBytes: {
    group: 'database',
    unit: 'bytes',
    default: 7999,
    meaning: 'The longest payload of NOTIFY.',
    code: '22023',
  },
} as const satisfies Record<string, Limit>;
