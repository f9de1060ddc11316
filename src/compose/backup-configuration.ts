import { hostname } from 'node:os';
import type { LimitName } from '../../contract/limits.ts';
import type { Target } from '../backup/open-target.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import type { ProgramFolders } from '../postgres/binaries.ts';
import { build } from './configuration.ts';
import { nodeLimits, servesOwnMachineOnly } from './from-config.ts';

/** Everything that the backup process needs. It arrives as a message. */
export interface BackupConfiguration {
  readonly home: string;
  readonly databaseUrl: string;
  readonly target: Target;
  readonly programs: ProgramFolders;
  /** In base64url. */
  readonly masterKey: string;
  readonly postgresPassword: string;
  /** True if the files of apps are in the home, and not in a bucket. */
  readonly hasFiles: boolean;
  /** The name of the node for people. */
  readonly node: string;
  readonly build: string;
  /** Folders that are searched for PostgreSQL's pg_dump. */
  readonly programFolders: readonly string[];
  readonly isLoopback: boolean;
  readonly environment: Partial<Record<LimitName, number>>;
  readonly numbers: Pick<
    Config['limits'],
    | 'backupSeconds'
    | 'backupDays'
    | 'backupWeeks'
    | 'backupFlushMilliseconds'
    | 'backupBytesPerSecond'
    | 'drillSeconds'
    | 'sessionTemporaryBytes'
  >;
}

/** Returns the folders that are searched for PostgreSQL's pg_dump. */
export const programFoldersOf = ({ postgresBin, programFolders }: Config): readonly string[] => [
  ...(postgresBin === null ? [] : [postgresBin]),
  ...programFolders,
];

/** Returns where the backups of a node are, with the credentials of a bucket; null if it takes none. */
export function backupTargetOf(config: Config): Target | null {
  const { backupTarget: target, backupKey, backupSecret, storageKey, storageSecret } = config;
  if (target.kind === 'off') return null;
  if (target.kind === 'folder') return target;
  const credentials = { accessKey: backupKey ?? storageKey ?? '', secret: backupSecret ?? storageSecret ?? '' };
  return { kind: 's3', location: { ...target.bucket, ...credentials } };
}

/** Returns the configuration of the backup process; null if the node takes no backups. */
export function backupConfiguration(
  config: Config,
  databaseUrl: string,
  { masterKey, postgresPassword }: Secrets,
): BackupConfiguration | null {
  const target = backupTargetOf(config);
  if (target === null) return null;
  const { home, limits, publicUrl, storageUrl } = config;
  return {
    ...{ home, databaseUrl, target, postgresPassword, build, numbers: limits },
    programs: config.postgresPrograms,
    programFolders: programFoldersOf(config),
    masterKey: masterKey.toString('base64url'),
    hasFiles: storageUrl === null,
    node: publicUrl ?? hostname(),
    isLoopback: servesOwnMachineOnly(config),
    environment: nodeLimits(config),
  };
}
