import type { CallDetail } from '../../contract/call-detail.ts';
import type { Change } from '../../contract/changes.ts';
import { type LimitName, limits } from '../../contract/limits.ts';
import type { Entity, Specification } from '../../contract/specification.ts';
import type { App } from '../apps/app.ts';
import { authenticatorRole } from '../apps/app-record.ts';
import { readSettings, type Settings, storedSettings } from '../apps/settings.ts';
import { readCatalogue } from '../catalog/read-catalogue.ts';
import { type RoutineFact, type RoutineFacts, routineQueries } from '../catalog/routines.ts';
import type { Executor } from '../database/database.ts';
import { firstJson } from '../database/statement.ts';
import { callExample, letsMake } from './call-example.ts';
import { diffChapters } from './diff/diff.ts';
import type { JsonObject } from './diff/differences.ts';
import { allEntities } from './entities.ts';
import { type Facts, loadFacts } from './facts.ts';
import { loadEntityFigures } from './figures/entities.ts';
import { each } from './figures/with-figures.ts';
import { specificationHtml } from './html/specification.ts';
import { lasting } from './lasting.ts';
import { specificationMarkdown } from './markdown/specification.ts';
import { idOf } from './names.ts';
import { openApiDocument } from './openapi/document.ts';
import { visibleTo } from './openapi/visible.ts';
import { RememberedSpecifications } from './remembered.ts';
import { snippets } from './snippets.ts';
import { deriveSpecification } from './specification.ts';
import { loadTypeFacts } from './types/facts.ts';
import { jsonSchemas } from './types/json-schema.ts';
import { typescriptOf, typescriptTypes } from './types/typescript.ts';
import { zodSchemas } from './types/zod.ts';

export type TypesFormat = 'typescript' | 'zod' | 'json-schema';

/** The specification of an app that runs, and what is made from it. */
export class Specifier {
  readonly #remembered = new RememberedSpecifications();
  readonly #url: () => string;
  readonly #environment: Partial<Record<LimitName, number>>;

  /** `url` is where clients reach the node, without a trailing slash; `environment`, the limits that the node's environment sets. */
  constructor(url: () => string, environment: Partial<Record<LimitName, number>> = {}) {
    this.#url = url;
    this.#environment = environment;
  }

  /** What the app does now; its live figures are of the last seconds. Throws what `loadFacts` throws. */
  specification(app: App): Promise<Specification> {
    return this.#remembered.of(app, () => this.#deriveNow(app));
  }

  /** The same without live figures. */
  withoutFigures(app: App): Promise<Specification> {
    return this.#remembered.withoutFigures(app, () => this.#deriveNow(app));
  }

  /** What it would do as `executor` sees it, within its transaction, whose search path this changes. */
  async within(app: App, executor: Executor): Promise<Specification> {
    const [stored] = await executor.run([storedSettings]);
    return this.#derive(app, executor, readSettings((stored && firstJson<Record<string, unknown>>(stored)) ?? {}));
  }

  /** One call by its id in chapter 7, as programs and as a request; null where the app has no such call. */
  async callDetail(app: App, id: string): Promise<CallDetail | null> {
    const [{ chapters }, { rest }] = await Promise.all([this.withoutFigures(app), app.settings()]);
    const call = chapters.calls?.calls.find((one) => one.id === id);
    if (!call) return null;
    const example = callExample(call, {
      entity: chapters.entities?.entities.find((entity) => call.area === 'rest' && entity.id === call.entity),
      cells: chapters.roles?.cells.filter((cell) => letsMake(cell, call)) ?? [],
      routine: call.area === 'rpc' ? await readRoutine(app, call.entity) : undefined,
      defaultSchema: rest.db_schemas[0],
    });
    const { query, headers, body } = example;
    const { publishableKey } = app.record;
    return {
      snippets: snippets({ url: `${this.#url()}/apps/${app.ref}`, publishableKey }, call, example),
      example: { query, headers, body },
    };
  }

  /** What the specification is derived from. */
  async facts(app: App): Promise<Facts> {
    return factsOf(app, app.database, await app.settings());
  }

  /** The relations of every schema, with their figures. */
  async entities(app: App): Promise<Entity[]> {
    const [facts, figures] = await Promise.all([this.facts(app), loadEntityFigures(app.database)]);
    return each(allEntities(facts), ({ id }) => figures.get(id));
  }

  markdown(specification: Specification): string {
    return specificationMarkdown(specification);
  }

  html(specification: Specification): string {
    return specificationHtml(specification);
  }

  /** What changed from one to the other, in words. */
  changes(before: Specification, after: Specification): Change[] {
    return diffChapters(exported(before), exported(after));
  }

  /** The app's entities for programs, or one of them by its id. */
  async types(app: App, format: TypesFormat, only: string | null): Promise<string> {
    const facts = await factsOf(app, app.database, await app.settings());
    const types = await loadTypeFacts(app.database, facts, await app.catalog());
    switch (format) {
      case 'typescript':
        return only === null ? typescriptTypes(types) : typescriptOf(types, only);
      case 'zod':
        return zodSchemas(types, only);
      case 'json-schema':
        return jsonSchemas(types, app.ref, only);
    }
  }

  /** The OpenAPI 3.1 document of what a role may call, as JSON; of everything where no role is named. */
  async openApi(app: App, role: string | null): Promise<string> {
    const settings = await app.settings();
    const [specification, facts] = await Promise.all([this.withoutFigures(app), factsOf(app, app.database, settings)]);
    const types = await loadTypeFacts(app.database, facts, await app.catalog());
    const visible = role === null ? specification : visibleTo(specification, role);
    return JSON.stringify(openApiDocument(visible, types, `${this.#url()}/apps/${app.ref}`));
  }

  async #deriveNow(app: App): Promise<Specification> {
    return this.#derive(app, app.database, await app.settings());
  }

  async #derive(app: App, executor: Executor, settings: Settings): Promise<Specification> {
    const { ref, name } = app.record;
    return deriveSpecification(await factsOf(app, executor, settings), {
      ref,
      name,
      authSettings: settings.auth,
      restSettings: settings.rest,
      environment: this.#environment,
    });
  }
}

/** The function that a call reaches, by its id. */
async function readRoutine(app: App, id: string | null): Promise<RoutineFact | undefined> {
  const { routines } = routineQueries;
  const read = await readCatalogue<Pick<RoutineFacts, 'routines'>>(
    app.database,
    { routines },
    limits.catalogueLockMilliseconds.default,
  );
  return read.routines.find((routine) => idOf(routine) === id);
}

/** As the JSON of an export holds it. */
const exported = ({ chapters }: Specification): JsonObject => JSON.parse(JSON.stringify(lasting(chapters)));

const factsOf = (app: App, executor: Executor, { rest }: Settings): Promise<Facts> =>
  loadFacts(executor, {
    exposedSchemas: rest.db_schemas,
    extraSearchPath: rest.db_extra_search_path,
    authenticator: authenticatorRole(app.ref),
    anonymous: rest.db_anon_role,
  });
