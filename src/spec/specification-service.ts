import type { CallDetail } from '../../contract/call-detail.ts';
import type { Change, VersionEntry } from '../../contract/changes.ts';
import { type LimitName, limits } from '../../contract/limits.ts';
import type { RequestTrace } from '../../contract/observed.ts';
import type { App } from '../apps/app.ts';
import { authenticatorRole } from '../apps/app-record.ts';
import type { Origins } from '../apps/origins.ts';
import { readSettings, type Settings, storedSettings } from '../apps/settings.ts';
import { readCatalog } from '../catalog/read-catalog.ts';
import { type RoutineFact, type RoutineFacts, routineQueries } from '../catalog/routines.ts';
import type { Executor } from '../database/database.ts';
import { firstJson } from '../database/statement.ts';
import { isOwnRole } from '../identity/role-claim.ts';
import { callExample } from './call-example.ts';
import { type FactOptions, type Facts, parseFacts, type RawFacts, readFacts, readFactsWithin } from './facts.ts';
import { loadEntityFigures } from './figures/entities.ts';
import { idOf } from './names.ts';
import { retryIfNotCached } from './process/not-cached.ts';
import type { Output, TaskRunner } from './process/task-result.ts';
import type { Bytes, PackedVersion, PageFormat, Source, TypeSource, TypesFormat } from './process/tasks.ts';
import type { MemberCaller } from './roles.ts';
import { snippets } from './snippets.ts';
import { SpecificationCache } from './specification-cache.ts';
import { readTypeNames } from './types/facts.ts';

/** The specification of an app that runs, and what is made from it. Reads here; what takes processor time is done by a process of its own. */
export class SpecificationService {
  readonly #tasks: TaskRunner;
  readonly #remembered: SpecificationCache;
  readonly #origins: Origins;
  readonly #environment: Partial<Record<LimitName, number>>;

  /** `environment`: the limits that the node's environment sets. */
  constructor(tasks: TaskRunner, origins: Origins, environment: Partial<Record<LimitName, number>> = {}) {
    this.#tasks = tasks;
    this.#origins = origins;
    this.#environment = environment;
    this.#remembered = new SpecificationCache(tasks, (app, settings) =>
      this.#source(app, settings, (options) => readFacts(app.database, options)),
    );
  }

  /** Has the process that derives specifications started, where it is not: that takes a tenth of a second, once in a while. */
  prepare(): void {
    this.#tasks.run('ready', null).catch(() => undefined);
  }

  /** What the app does now, as people or programs read it, in gzip where asked; its live figures are of the last seconds. Throws what `loadFacts` throws, and `specification_too_large`. */
  page(app: App, format: PageFormat, isGzipped = false): Promise<Bytes> {
    return this.#remembered.withFigures(app, (of, pages) => {
      const name = `${format} ${isGzipped}`;
      const page = pages.get(name) ?? this.#tasks.run('page', { of, format, isGzipped });
      pages.set(name, page);
      return page;
    });
  }

  /** The calls of chapter 7 by their names alone. */
  callNames(app: App): Promise<Output<'callNames'>> {
    return this.#remembered.withoutFigures(app, (of) => this.#tasks.run('callNames', { of }));
  }

  /** The policies that were behind a call, and how long such a call takes of late. */
  behind(app: App, { call, touched, who }: RequestTrace): Promise<Output<'behind'>> {
    const story = { call, touched, who };
    return this.#remembered.withFigures(app, (of) => this.#tasks.run('behind', { of, story }));
  }

  /** The cells of chapter 6, and the hash of the specification that they are of. */
  cells(app: App): Promise<{ hash: string; roles: Output<'cells'> }> {
    return this.#remembered.withoutFigures(app, async (of, hash) => ({
      hash,
      roles: await this.#tasks.run('cells', { of }),
    }));
  }

  /** One call by its id in chapter 7, as programs and as a request; null where the app has no such call. */
  async callDetail(app: App, id: string): Promise<CallDetail | null> {
    const [found, { rest }] = await Promise.all([
      this.#remembered.withoutFigures(app, (of) => this.#tasks.run('call', { of, id })),
      app.settings(),
    ]);
    if (!found) return null;
    const { call, entity, cells, examples } = found;
    const routine = call.area === 'rpc' ? await readRoutine(app, call.entity) : undefined;
    const example = callExample(call, {
      ...{ entity, cells, examples: new Map(examples), routine },
      defaultSchema: rest.db_schemas[0],
    });
    const { query, headers, body } = example;
    const { publishableKey } = app.record;
    return {
      snippets: snippets({ url: this.#origins.appUrl(app.ref), publishableKey }, call, example),
      example: { query, headers, body },
    };
  }

  /** What the specification is derived from. */
  async facts(app: App): Promise<Facts> {
    return parseFacts(await readFacts(app.database, factOptions(app, await app.settings())));
  }

  /** The relations of every schema, with their figures, as JSON. */
  entities(app: App): Promise<Bytes> {
    return retryIfNotCached(async () => {
      const options = factOptions(app, await app.settings());
      const [facts, figures] = await Promise.all([readFacts(app.database, options), loadEntityFigures(app.database)]);
      return this.#tasks.run('entities', { facts, figures });
    });
  }

  /** The app's entities for programs, or one of them by its id. */
  types(app: App, format: TypesFormat, only: string | null): Promise<Bytes> {
    return retryIfNotCached(async () => {
      const types = await readTypes(app);
      return this.#tasks.run('types', { types, ref: app.ref, format, only });
    });
  }

  /** The OpenAPI 3.1 document of what a role may call, as JSON; of everything where no role is named. */
  openApi(app: App, role: string | null): Promise<string> {
    return this.#remembered.withoutFigures(app, async (of) => {
      const types = await readTypes(app);
      return this.#tasks.run('openApi', { of, types, role, url: this.#origins.appUrl(app.ref) });
    });
  }

  /** The screens that one caller may open (`PortalScreens`), as JSON. */
  memberScreens(app: App, caller: MemberCaller): Promise<Bytes> {
    return this.#remembered.withoutFigures(app, async (of) => {
      const names = await readTypeNames(app.database);
      return this.#tasks.run('memberScreens', { of, names, caller });
    });
  }

  /**
   * Reads the app as `executor` sees it, within its transaction, whose search path this changes. What would change if the app came to be
   * that is told afterwards, in words.
   */
  async within(app: App, executor: Executor): Promise<() => Promise<Change[]>> {
    const [stored] = await executor.run([storedSettings]);
    const settings = readSettings((stored && firstJson<Record<string, unknown>>(stored)) ?? {});
    const source = await this.#source(app, settings, (options) => readFactsWithin(executor, options));
    return () => this.#remembered.withoutFigures(app, (of) => this.#tasks.run('changesTo', { of, source }));
  }

  /** Whether this worker has derived it after a time of performance.now(). */
  isDerivedSince(app: App, time: number): boolean {
    return this.#remembered.isDerivedSince(app, time);
  }

  /** For how many milliseconds the app's changes are to be let alone by whoever records them in the background: it takes long. */
  recordingDelay({ ref }: App): Promise<number> {
    return retryIfNotCached(() => this.#tasks.run('recordingDelay', { ref }));
  }

  /** Calls `use` with the hash of what the app does now, and with functions that pack it. */
  withVersion<T>(app: App, use: (hash: string, packing: Packing) => Promise<T>): Promise<T> {
    return this.#remembered.withoutFigures(app, (of, hash) =>
      use(hash, {
        pack: (previous) => this.#tasks.run('version', { of, previous: previous && packedOf(previous) }),
        packIds: () => this.#tasks.run('packIds', { of }),
      }),
    );
  }

  /** A packed version of an app as JSON (a VersionDetail); null where it holds no chapters. */
  versionPage(app: App, entry: VersionEntry, packed: Bytes): Promise<Bytes | null> {
    const { ref, name } = app.record;
    return retryIfNotCached(() => this.#tasks.run('versionPage', { entry, packed, app: { ref, name } }));
  }

  /** From one packed version to another, in words; or which of them holds no chapters. */
  changesBetween(before: PackedVersion, after: PackedVersion): Promise<Output<'changesBetween'>> {
    return retryIfNotCached(() =>
      this.#tasks.run('changesBetween', { before: packedOf(before), after: packedOf(after) }),
    );
  }

  async #source(app: App, settings: Settings, read: (options: FactOptions) => Promise<RawFacts>): Promise<Source> {
    const { ref, name } = app.record;
    return {
      facts: await read(factOptions(app, settings)),
      app: { ref, name, authSettings: settings.auth, restSettings: settings.rest, environment: this.#environment },
    };
  }
}

interface Packing {
  /** Packs the specification as the version after `previous`, or as the first. */
  pack: (previous: PackedVersion | null) => Promise<Output<'version'>>;
  /** Packs the object ids alone. */
  packIds: () => Promise<string>;
}

/** What the process needs of a stored version. */
const packedOf = ({ packed, ids }: PackedVersion): PackedVersion => ({ packed, ids });

/** The function that a call reaches, by its id. */
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
