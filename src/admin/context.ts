import type { RedirectDecision } from '../../contract/admin.ts';
import type { CallDetail } from '../../contract/call-detail.ts';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { BrokenDefinition, Change, VersionList } from '../../contract/changes.ts';
import type { RequestTrace } from '../../contract/observed.ts';
import type { PortalScreens } from '../../contract/portal.ts';
import type { ProbeState } from '../../contract/probe.ts';
import type { ProviderCheck } from '../../contract/providers.ts';
import type { RealtimeUsage } from '../../contract/realtime.ts';
import type { CallEntry } from '../../contract/specification-calls.ts';
import type { PolicyEntry, RoleCell } from '../../contract/specification-roles.ts';
import type { AccountForms } from '../accounts/import/imported-account.ts';
import type { AppPasswords } from '../accounts/passwords/passwords.ts';
import type { Grant } from '../accounts/sessions/sessions.ts';
import type { User } from '../accounts/users/user.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import type { RequestTraces } from '../apps/log/request-traces.ts';
import type { ImportLocks } from '../apps/maintenance/import-locks.ts';
import type { Lifecycle } from '../apps/provisioning/lifecycle.ts';
import type { ServerPools } from '../apps/provisioning/server-pools.ts';
import type { Origins } from '../apps/registry/origins.ts';
import type { Registry } from '../apps/registry/registry.ts';
import type { Server } from '../apps/registry/server.ts';
import type { BuilderRights } from '../apps/team/team-store.ts';
import type { DumpTools } from '../apps/transfer/pg-dump.ts';
import type { BackupHome } from '../backup/backup-home.ts';
import type { RecoverySecrets } from '../backup/recovery-phrase.ts';
import type { Executor } from '../database/database.ts';
import type { Pool } from '../database/pool.ts';
import type { ByteStore } from '../files/byte-store.ts';
import type { BundleProcesses } from '../functions/bundle/bundle-process.ts';
import type { BuilderSession } from '../identity/builder-session.ts';
import type { Identity } from '../identity/identity.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { FiguresForm } from '../monitoring/worker-report.ts';
import type { Events } from '../observe/events.ts';

export type SpecificationFormat = 'json' | 'markdown' | 'html';

/** The dependencies of management calls. */
export interface AdminContext {
  readonly apps: Apps;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  /** Holds the bytes of files. */
  readonly store: ByteStore;
  /** The backups of the node, and the secrets that a restore needs; null if the node takes none. */
  readonly backups: { readonly home: BackupHome; readonly secrets: RecoverySecrets } | null;
  /** Resolves once the other workers of the node use the committed changes of an app, or after a second. */
  readonly everyWorker: (ref: string) => Promise<void>;
  readonly server: Server;
  /** All PostgreSQL servers of the node. */
  readonly servers: ServerPools;
  /** Where pg_dump is, for moves of apps. */
  readonly dumpTools: DumpTools;
  /** The superuser's connections to the maintenance database. */
  readonly maintenance: Pool;
  readonly events: Events;
  readonly traces: RequestTraces;
  /** Computes the password hashes of builders. */
  readonly passwords: AppPasswords;
  /** Edge functions: whether this node runs them, and what their deployment needs. */
  readonly functions: {
    readonly runs: boolean;
    readonly bundles: BundleProcesses;
    /** Counts the deployments that run. */
    readonly deployments: InFlight;
    /** Writes the output of an app's functions that waits in this worker. */
    flushLogs(ref: string): Promise<void>;
  };
  readonly operatorToken: string;
  /** The token of the one-time link with which the first builder sets the node up. */
  readonly setupToken: string;
  readonly identify: (app: App, request: CallRequest) => Promise<Identity>;
  /**
   * Returns the claims that an access token of an account would have, without a session.
   * @throws what the app's hook throws
   */
  readonly claimsOf: (app: App, request: CallRequest, user: User) => Promise<Readonly<Record<string, unknown>>>;
  /** Sessions of builders in the console. */
  readonly builders: {
    /**
     * Signs in a member of the console with the e-mail address and password in the body.
     * @throws what /auth/v1 of an app throws
     */
    signIn(console: App, request: CallRequest): Promise<Grant>;
    /**
     * Signs in a member of the console with the passkey response in the body.
     * @throws the errors of `signIn`
     */
    signInWithPasskey(console: App, request: CallRequest): Promise<Grant>;
    /**
     * Handles a call of /auth/v1 on the console for a builder's session, or with null without a caller. `request.path`
     * is below /auth/v1.
     */
    account(console: App, request: CallRequest, session: BuilderSession | null): Promise<Reply>;
    /**
     * Returns the session that the token of a cookie names.
     * @throws if the token is not valid or its session has ended
     */
    resolve(console: App, token: string): Promise<BuilderSession>;
  };
  /** Handles a call of /auth/v1 on an app with the privileges of the service role. `request.path` is below /auth/v1. */
  readonly callAuthAdmin: (app: App, request: CallRequest) => Promise<Reply>;
  /**
   * Functions that convert addresses, phone numbers and ids of accounts to the form in which the database stores them.
   * Each throws for an invalid text.
   */
  readonly accountForms: AccountForms;
  /** Decides as a sign-in does whether an app may redirect to an address. */
  readonly decideRedirect: (app: App, address: string) => Promise<RedirectDecision>;
  /** Checks the client id and the secret of a sign-in provider at the provider. */
  readonly checkProvider: (app: App, name: string) => Promise<ProviderCheck>;
  readonly origins: Origins;
  /** Decides which addresses mail servers may have. */
  readonly addresses: AddressPolicy;
  /** Counts the imports of members that this worker runs. */
  readonly importsInFlight: InFlight;
  readonly importLocks: ImportLocks;
  /** Derives the specifications of apps. */
  readonly specify: {
    /**
     * Returns the specification with live figures as text in UTF-8. If `isPacked` is true, the text is compressed with
     * gzip.
     */
    page(
      app: App,
      format: SpecificationFormat,
      extent?: 'complete' | 'one-page',
      isPacked?: boolean,
    ): Promise<Uint8Array>;
    /** Returns the specification as an export has it: without live figures. */
    export(app: App, format: SpecificationFormat, isPacked: boolean): Promise<Uint8Array>;
    /** Returns Entity[] as JSON. */
    entities(app: App): Promise<Uint8Array>;
    callNames(app: App): Promise<Pick<CallEntry, 'id' | 'area' | 'method' | 'path'>[]>;
    /** Returns who may do what with the files of each bucket. The entity of a cell is the id of the bucket. */
    bucketCells(app: App, buckets: readonly string[]): Promise<RoleCell[]>;
    /** Returns the details of a call; null if chapter 7 has no call with this id. */
    callDetail(app: App, id: string): Promise<CallDetail | null>;
    /** Returns the policies that apply to a call, and the recent durations of requests for the same call. */
    behind(
      app: App,
      trace: RequestTrace,
    ): Promise<{ policies: PolicyEntry[]; usual: NonNullable<CallEntry['figures']>['hour'] | null }>;
    /** Returns generated types of all entities, or of the entity with the id `only`. */
    types(app: App, format: 'typescript' | 'zod' | 'json-schema', only: string | null): Promise<Uint8Array>;
    /**
     * Reads the app as `executor` sees it within its transaction. Returns a function that describes in words what would
     * change if the transaction were committed, and returns the screens that a caller would then get.
     * @param caller Null if no screens are requested. `memberRole` replaces the member's own roles.
     */
    within(
      app: App,
      executor: Executor,
      caller:
        | (Pick<Identity, 'role' | 'userId'> & {
            readonly memberRole: string | null;
            readonly acceptLanguage: string | null;
          })
        | null,
    ): Promise<
      () => Promise<{
        readonly changes: Change[];
        readonly screens: PortalScreens | null;
        readonly broken: readonly BrokenDefinition[];
      }>
    >;
  };
  /** The recorded versions of each app's specification. */
  readonly versions: {
    /** Records the current specification if it is new, and reports errors. */
    note(app: App): Promise<void>;
    list(app: App, before: number | null): Promise<VersionList>;
    /** Returns a version (a VersionDetail) as JSON; null if there is no such version. */
    page(app: App, point: { number: number } | { hash: string } | { at: string }): Promise<Uint8Array | null>;
    /** Returns a version as an export has it; null if there is no such version. Records nothing. */
    export(app: App, number: number, format: SpecificationFormat, isPacked: boolean): Promise<Uint8Array | null>;
    /** Returns the changes between two versions in words. If one of them does not exist, returns its number. */
    compare(app: App, from: number, to: number): Promise<Change[] | { missing: number }>;
  };
  /** Compares the cells of chapter 6 with statements that are really executed. */
  readonly probes: {
    state(app: App): Promise<ProbeState>;
    start(app: App): Promise<ProbeState>;
  };
  /** Returns what the workers count about the realtime of an app. */
  readonly realtimeUsage: (ref: string) => Promise<RealtimeUsage>;
  /** Returns the figures of the node: as text for Prometheus, or as JSON (`NodeFigures`); null if they cannot be read. */
  readonly readFigures: (form: FiguresForm) => Promise<string | null>;
  readonly node: {
    readonly version: string;
    readonly workers: number;
    /** Time at which the node started, in ISO 8601. */
    readonly startedAt: string;
    readonly embedded: boolean;
    /** Returns the number of lines of the log that could not be written. */
    readonly lostLines: () => number;
  };
}

/** The caller of the management API: the operator, or a builder with the builder's rights. */
export type Caller = { readonly kind: 'operator' } | BuilderCaller;

/** A builder who calls, with the session and the builder's rights. */
export interface BuilderCaller extends BuilderRights {
  readonly kind: 'builder';
  readonly userId: string;
  readonly sessionId: string;
}
