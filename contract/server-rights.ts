/** A right of the node's login on its PostgreSQL server that a managed service may not give. */
export interface ServerRight {
  /** What the login cannot do, for people. */
  readonly lacks: string;
  /** What is different without the right. */
  readonly effect: string;
}

const rights = {
  catalog: {
    lacks: 'change pg_catalog (superuser)',
    effect:
      'Every owner of an app sees the names, settings and sessions of all apps, and can take advisory locks that all apps share. So the node is for one team: the right to create apps is a right on all of them. Apps have no Vault, and CREATE ROLE of an app is skipped.',
  },
  eventTriggers: {
    lacks: 'create event triggers',
    effect:
      'The node looks for changes of the schema each second while an app is in use. The history of a schema has no statements, and nothing keeps a change from breaking a state machine.',
  },
  parameterGrants: {
    lacks: 'grant the parameter session_replication_role',
    effect: 'Owners cannot load a dump of data with triggers and foreign keys switched off.',
  },
  temporaryFiles: {
    lacks: 'set temp_file_limit for a role',
    effect: 'The temporary files of a session are limited only by the setting of the server.',
  },
  reservedConnections: {
    lacks: 'grant pg_use_reserved_connections',
    effect: 'Owners who log in directly can use up the connections of the server, and requests then wait.',
  },
  serverFiles: {
    lacks: 'list files of the server (pg_ls_dir)',
    effect:
      'The watchdog counts neither the temporary files of an app as a whole nor what it writes to catalogs that all apps share.',
  },
} as const satisfies Readonly<Record<string, ServerRight>>;

export type RightName = keyof typeof rights;

export const serverRights: Readonly<Record<RightName, ServerRight>> = rights;
export const rightNames = Object.keys(rights) as RightName[];
