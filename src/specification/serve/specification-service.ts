import type { CallDetail } from '../../../contract/call-detail.ts';
import type { BrokenDefinition, Change, VersionEntry } from '../../../contract/changes.ts';
import { type LimitName, limits } from '../../../contract/limits.ts';
import type { RequestTrace } from '../../../contract/observed.ts';
import type { PortalScreens } from '../../../contract/portal.ts';
import type { RightName } from '../../../contract/server-rights.ts';
import type { App } from '../../apps/app.ts';
import { authenticatorRole } from '../../apps/registry/app-record.ts';
import type { Origins } from '../../apps/registry/origins.ts';
import { readSettings, type Settings, storedSettings } from '../../apps/settings.ts';
import {
  type FactOptions,
  type Facts,
  parseFacts,
  readChangedFacts,
  readFacts,
  readFactsWithin,
} from '../../catalog/facts.ts';
import { idOf } from '../../catalog/names.ts';
import { readCatalog } from '../../catalog/read-catalog.ts';
import { type RoutineFact, type RoutineFacts, routineQueries } from '../../catalog/routines.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import { isOwnRole } from '../../identity/role-claim.ts';
import { callExample } from '../derive/chapters/calls/call-example.ts';
import { snippets } from '../derive/chapters/calls/snippets.ts';
import type { MemberCaller } from '../derive/chapters/roles/roles.ts';
import type { SpecificationApp } from '../derive/specification.ts';
import { readTypeNames } from '../render/types/facts.ts';
import {
  chooseScreenLanguage,
  labelLanguages,
  memberCallerOf,
  type ScreensCaller,
  withCallerId,
} from './caller-screens.ts';
import { loadEntityFigures } from './figures/entities.ts';
import type { ReadBackup } from './figures/figures.ts';
import { retryIfNotCached } from './process/not-cached.ts';
import type { Output, TaskRunner } from './process/task-result.ts';
import type { Bytes, PageExtent, PageFormat, TypeSource, TypesFormat } from './process/tasks.ts';
import { SpecificationCache } from './specification-cache.ts';

/**
 * The specification of a running app in all its formats. This class reads the data from the database. The specification
 * process does the work that needs processor time.
 */
export class SpecificationService {
  readonly #tasks: TaskRunner;
  readonly #remembered: SpecificationCache;
  readonly #origins: Origins;
  readonly #environment: Partial<Record<LimitName, number>>;
  readonly #missingRights: readonly RightName[];

  /** @param environment The limits that the node's environment sets. */
  constructor(
    tasks: TaskRunner,
    origins: Origins,
    environment: Partial<Record<LimitName, number>> = {},
    readBackup: ReadBackup = async () => null,
    missingRights: readonly RightName[] = [],
  ) {
    this.#tasks = tasks;
    this.#origins = origins;
    this.#environment = environment;
    this.#missingRights = missingRights;
    this.#remembered = new SpecificationCache(tasks, {
      describe: (app, settings) => this.#describe(app, settings),
      readFacts: (app, options) => readFacts(app.database, options),
      readBackup,
      readChangedFacts: (app, options, states) => readChangedFacts(app.database, options, states),
    });
  }

  /** Starts the specification process unless it is running. The start takes a tenth of a second. */
  prepare(): void {
    this.#tasks.run('ready', null).catch(() => undefined);
  }

  /**
   * Returns the current specification, complete or as one page, in a format, with recent live figures.
   * @param isGzipped True to compress the result with gzip.
   * @throws Errors of `loadFacts`, and NinefoldError `specification_too_large`.
   */
  page(app: App, format: PageFormat, extent: PageExtent = 'complete', isGzipped = false): Promise<Bytes> {
    return this.#remembered.withFigures(app, (of, pages) => {
      const name = `${format} ${extent} ${isGzipped}`;
      const page = pages.get(name) ?? this.#tasks.run('page', { of, format, extent, isGzipped });
      pages.set(name, page);
      return page;
    });
  }

  /**
   * Returns the current specification in a format as an export has it: without live figures.
   * @throws Errors as in `page`.
   */
  export(app: App, format: PageFormat, isGzipped: boolean): Promise<Bytes> {
    return this.#remembered.withoutFigures(app, (of) => this.#tasks.run('export', { of, format, isGzipped }));
  }

  /** Returns the names of the calls of chapter 7. */
  callNames(app: App): Promise<Output<'callNames'>> {
    return this.#remembered.withoutFigures(app, (of) => this.#tasks.run('callNames', { of }));
  }

  /** Returns the policies that applied to a request, and the recent durations of requests for the same call. */
  behind(app: App, { call, touched, who }: RequestTrace): Promise<Output<'behind'>> {
    const trace = { call, touched, who };
    return this.#remembered.withFigures(app, (of) => this.#tasks.run('behind', { of, trace }));
  }

  /** Returns the cells of chapter 6, and the hash of the specification that they belong to. */
  cells(app: App): Promise<{ hash: string; roles: Output<'cells'> }> {
    return this.#remembered.withoutFigures(app, async (of, hash) => ({
      hash,
      roles: await this.#tasks.run('cells', { of }),
    }));
  }

  /** Returns who may do what with the files of each bucket. The entity of a cell is the id of the bucket. */
  bucketCells(app: App, buckets: readonly string[]): Promise<Output<'bucketCells'>> {
    return this.#remembered.withoutFigures(app, (of) => this.#tasks.run('bucketCells', { of, buckets }));
  }

  /** Returns a call of chapter 7 as snippets and as a request, with its errors; null if the app has no such call. */
  async callDetail(app: App, id: string): Promise<CallDetail | null> {
    const [found, { rest }] = await Promise.all([
      this.#remembered.withoutFigures(app, (of) => this.#tasks.run('call', { of, id })),
      app.settings(),
    ]);
    if (!found) return null;
    const { call, entity, cells, examples, errors, bucket } = found;
    const routine = call.area === 'rpc' ? await readRoutine(app, call.entity) : undefined;
    const example = callExample(call, {
      ...{ entity, cells, examples: new Map(examples), routine, bucket },
      defaultSchema: rest.db_schemas[0],
    });
    const { query, headers, body } = example;
    const { publishableKey } = app.record;
    return {
      snippets: snippets({ url: this.#origins.appUrl(app.ref), publishableKey }, call, example),
      example: { query, headers, body },
      errors,
    };
  }

  /** Reads the facts from which the specification is derived. */
  async facts(app: App): Promise<Facts> {
    return parseFacts(await readFacts(app.database, factOptions(app, await app.settings())));
  }

  /** Returns the relations of every schema, with their figures, as JSON. */
  entities(app: App): Promise<Bytes> {
    return retryIfNotCached(async () => {
      const options = factOptions(app, await app.settings());
      const [facts, figures] = await Promise.all([readFacts(app.database, options), loadEntityFigures(app.database)]);
      return this.#tasks.run('entities', { facts, figures });
    });
  }

  /** Returns generated types of all entities of the app, or of the entity with the id `only`. */
  types(app: App, format: TypesFormat, only: string | null): Promise<Bytes> {
    return retryIfNotCached(async () => {
      const types = await readTypes(app);
      return this.#tasks.run('types', { types, ref: app.ref, format, only });
    });
  }

  /**
   * Returns the OpenAPI 3.1 document, as JSON, of the calls that a role may send, or of all calls if `role` is null.
   */
  openApi(app: App, role: string | null): Promise<string> {
    return this.#remembered.withoutFigures(app, async (of) => {
      const types = await readTypes(app);
      return this.#tasks.run('openApi', { of, types, role, url: this.#origins.appUrl(app.ref) });
    });
  }

  /** Returns the screens that one caller may open (`PortalScreens`) with their labels in a language, as JSON. */
  memberScreens(app: App, caller: MemberCaller, language: string): Promise<Bytes> {
    // Reads the names of types at the same time as the specification is derived.
    const reading = readTypeNames(app.database);
    reading.catch(() => undefined);
    return this.#remembered.onceBegun(app, async (of) =>
      this.#tasks.run('memberScreens', { of, names: await reading, caller, language }),
    );
  }

  /**
   * Reads the app within the transaction of `executor`, whose search path it changes. Returns a function that reports
   * in words the changes from the current specification to the state of the app in this transaction, and the screens of
   * a caller in this state.
   * @param caller Null if no screens are requested.
   */
  async within(
    app: App,
    executor: Executor,
    caller: (ScreensCaller & { readonly acceptLanguage: string | null }) | null = null,
  ): Promise<() => Promise<StateWithin>> {
    const [stored] = await executor.run([storedSettings]);
    const settings = readSettings((stored && firstJson<Record<string, unknown>>(stored)) ?? {}, app.defaults);
    const { app: described, options } = this.#describe(app, settings);
    const source = { facts: await readFactsWithin(executor, options), app: described };
    const names = caller && (await readTypeNames(executor));
    return async () => {
      const asked = caller && names && { names, ...(await this.#askedScreens(app, caller)) };
      const { changes, screens, broken } = await this.#remembered.withoutFigures(app, (of) =>
        this.#tasks.run('stateOf', { of, source, asked }),
      );
      if (screens === null) return { changes, screens, broken };
      const own = caller?.userId == null ? null : withCallerId(screens, caller.userId);
      return { changes, screens: own ?? (JSON.parse(new TextDecoder().decode(screens)) as PortalScreens), broken };
    };
  }

  /** Returns true if this worker has requested the specification after a time of performance.now(). */
  isDerivedSince(app: App, time: number): boolean {
    return this.#remembered.isDerivedSince(app, time);
  }

  /**
   * Returns 0 if this worker gets the turn to record the app in the background; else the milliseconds after which it may
   * ask again.
   */
  takeRecordingTurn({ ref }: App): Promise<number> {
    return retryIfNotCached(() => this.#tasks.run('takeRecordingTurn', { ref }));
  }

  /**
   * Calls `use` with the hash of the current specification and with functions that return the compressed facts.
   */
  withVersion<T>(app: App, use: (hash: string, packing: Packing) => Promise<T>): Promise<T> {
    return this.#remembered.withoutFigures(app, (of, hash) =>
      use(hash, {
        pack: (previous) => this.#tasks.run('version', { of, previous }),
        packFacts: () => this.#tasks.run('packFacts', { of }),
      }),
    );
  }

  /** Returns a stored version of an app as JSON (a VersionDetail); null if its facts cannot be read. */
  versionPage(app: App, entry: VersionEntry, packed: Bytes): Promise<Bytes | null> {
    const { ref, name } = app.record;
    return retryIfNotCached(() => this.#tasks.run('versionPage', { entry, packed, app: { ref, name } }));
  }

  /** Returns a stored version in a format as an export has it; null if its facts cannot be read. */
  exportVersion(
    app: App,
    { entry: { hash }, packed }: { entry: VersionEntry; packed: Bytes },
    format: PageFormat,
    isGzipped: boolean,
  ): Promise<Bytes | null> {
    const { ref, name } = app.record;
    return retryIfNotCached(() =>
      this.#tasks.run('exportVersion', { packed, hash, app: { ref, name }, format, isGzipped }),
    );
  }

  /**
   * Returns in words the changes from one stored version of an app to another. If the facts of a version cannot be read,
   * returns which one.
   */
  changesBetween({ ref }: App, before: Bytes, after: Bytes): Promise<Output<'changesBetween'>> {
    return retryIfNotCached(() => this.#tasks.run('changesBetween', { ref, before, after }));
  }

  async #askedScreens(
    app: App,
    caller: ScreensCaller & { readonly acceptLanguage: string | null },
  ): Promise<{ caller: MemberCaller; language: string }> {
    const [of, languages] = await Promise.all([memberCallerOf(app, caller), labelLanguages(app)]);
    return { caller: of, language: chooseScreenLanguage(languages, caller.acceptLanguage) };
  }

  #describe(app: App, settings: Settings): { app: SpecificationApp; options: FactOptions } {
    const { ref, name } = app.record;
    return {
      app: {
        ...{ ref, name, environment: this.#environment, missingRights: this.#missingRights },
        ...{ authSettings: settings.auth, restSettings: settings.rest, storageSettings: settings.storage },
        realtimeSettings: settings.realtime,
      },
      options: factOptions(app, settings),
    };
  }
}

/** The state of an app in a transaction. */
export interface StateWithin {
  /** The changes from the current specification, in words. */
  readonly changes: Change[];
  /** The screens of the requested caller; null if none was requested. */
  readonly screens: PortalScreens | null;
  /** With screens: the definitions of chapter 2 that cannot be shown completely. */
  readonly broken: readonly BrokenDefinition[];
}

interface Packing {
  /** Compresses the facts as the version after `previous`, or as the first version. */
  pack: (previous: Bytes | null) => Promise<Output<'version'>>;
  /** Compresses the facts only. */
  packFacts: () => Promise<string>;
}

/** Reads the function of a call, by its id. */
async function readRoutine(app: App, id: string | null): Promise<RoutineFact | undefined> {
  const { routines } = routineQueries;
  const read = await readCatalog<Pick<RoutineFacts, 'routines'>>(
    app.database,
    { routines },
    limits.catalogLockMilliseconds.default,
  );
  return read.routines.find((routine) => idOf(routine) === id);
}

async function readTypes(app: App): Promise<TypeSource> {
  const options = factOptions(app, await app.settings());
  const facts = await readFacts(app.database, options);
  const names = await readTypeNames(app.database);
  const { relationships } = await app.schemaCache();
  return { facts, names, catalog: { relationships } };
}

const factOptions = (app: App, { rest }: Settings): FactOptions => ({
  exposedSchemas: rest.db_schemas,
  extraSearchPath: rest.db_extra_search_path,
  authenticator: authenticatorRole(app.ref),
  anonymous: rest.db_anon_role,
  roleClaim: isOwnRole(rest.jwt_role_claim_key) ? null : rest.jwt_role_claim_key,
  preRequest: rest.db_pre_request,
});
