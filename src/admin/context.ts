import type { CallDetail } from '../../contract/call-detail.ts';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { Change, VersionList } from '../../contract/changes.ts';
import type { RequestTrace } from '../../contract/observed.ts';
import type { ProbeState } from '../../contract/probe.ts';
import type { CallEntry } from '../../contract/specification-calls.ts';
import type { PolicyEntry } from '../../contract/specification-roles.ts';
import type { AccountForms } from '../accounts/import/imported-account.ts';
import type { Grant } from '../accounts/sessions.ts';
import type { User } from '../accounts/user.ts';
import type { App } from '../apps/app.ts';
import type { Apps } from '../apps/apps.ts';
import type { Lifecycle } from '../apps/lifecycle.ts';
import type { Origins } from '../apps/origins.ts';
import type { Registry } from '../apps/registry.ts';
import type { RequestTraces } from '../apps/request-traces.ts';
import type { Server } from '../apps/server.ts';
import type { BuilderRights } from '../apps/team-store.ts';
import type { Executor } from '../database/database.ts';
import type { Pool } from '../database/pool.ts';
import type { BuilderSession } from '../identity/builder-session.ts';
import type { Identity } from '../identity/identity.ts';
import type { AddressPolicy } from '../jobs/public-address.ts';
import type { Events } from '../observe/events.ts';

/** The parts that management calls use. */
export interface AdminContext {
  readonly apps: Apps;
  readonly registry: Registry;
  readonly lifecycle: Lifecycle;
  readonly server: Server;
  /** The superuser in the maintenance database. */
  readonly maintenance: Pool;
  readonly events: Events;
  readonly traces: RequestTraces;
  readonly operatorToken: string;
  /** Of the one-time link. */
  readonly setupToken: string;
  readonly identify: (app: App, request: CallRequest) => Promise<Identity>;
  /** Returns the claims that an access token of an account would have, without a session. Throws what the app's hook throws. */
  readonly claimsOf: (app: App, request: CallRequest, user: User) => Promise<Readonly<Record<string, unknown>>>;
  /** Sessions of builders in the console. */
  readonly builders: {
    /** Signs in a member of the console with the e-mail address and password in the body. Throws what /auth/v1 of an app throws. */
    signIn(console: App, request: CallRequest): Promise<Grant>;
    /** Signs in a member of the console with the answer of a passkey in the body. Throws as `signIn`. */
    signInWithPasskey(console: App, request: CallRequest): Promise<Grant>;
    /** Answers a call of /auth/v1 on the console, made by a builder's session; null: by nobody. `request.path` is below /auth/v1. */
    account(console: App, request: CallRequest, session: BuilderSession | null): Promise<Reply>;
    /** Returns the session that the token of a cookie names. Throws if the token is not valid or its session has ended. */
    resolve(console: App, token: string): Promise<BuilderSession>;
  };
  /** Answers a call of /auth/v1 on an app with the rights of the service role. `request.path` is below /auth/v1. */
  readonly callAuthAdmin: (app: App, request: CallRequest) => Promise<Reply>;
  /** How addresses, phone numbers and ids of accounts are stored; each throws for a text that is none. */
  readonly accountForms: AccountForms;
  readonly origins: Origins;
  /** Which addresses mail servers may have. */
  readonly addresses: AddressPolicy;
  /** Derives the specifications of apps. */
  readonly specify: {
    /** With live figures, as text in UTF-8, in gzip where asked. */
    page(app: App, format: 'json' | 'markdown' | 'html', isPacked?: boolean): Promise<Uint8Array>;
    /** Entity[] as JSON. */
    entities(app: App): Promise<Uint8Array>;
    callNames(app: App): Promise<Pick<CallEntry, 'id' | 'area' | 'method' | 'path'>[]>;
    /** Null where chapter 7 has no call with this id. */
    callDetail(app: App, id: string): Promise<CallDetail | null>;
    /** The policies behind a call, and how long such a call takes of late. */
    behind(
      app: App,
      story: RequestTrace,
    ): Promise<{ policies: PolicyEntry[]; usual: NonNullable<CallEntry['figures']>['hour'] | null }>;
    /** Of all entities, or of one by its id. */
    types(app: App, format: 'typescript' | 'zod' | 'json-schema', only: string | null): Promise<Uint8Array>;
    /** Reads the app as `executor` sees it, within its transaction; what that would change is told afterwards, in words. */
    within(app: App, executor: Executor): Promise<() => Promise<Change[]>>;
  };
  /** The recorded versions of each app's specification. */
  readonly versions: {
    /** Records what stands now, where that is new; what goes wrong is reported. */
    note(app: App): Promise<void>;
    list(app: App, before: number | null): Promise<VersionList>;
    /** A VersionDetail as JSON; null where there is none. */
    page(app: App, point: { number: number } | { hash: string } | { at: string }): Promise<Uint8Array | null>;
    /** In words; the number of a version that there is not. */
    compare(app: App, from: number, to: number): Promise<Change[] | { missing: number }>;
  };
  /** Chapter 6, held against what is really tried. */
  readonly probes: {
    state(app: App): Promise<ProbeState>;
    start(app: App): Promise<ProbeState>;
  };
  readonly node: {
    readonly version: string;
    readonly workers: number;
    /** ISO 8601. */
    readonly startedAt: string;
    readonly embedded: boolean;
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
