import { limits } from '../../contract/limits.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import type { AccessFacts } from '../catalog/access.ts';
import { accessQueries } from '../catalog/access.ts';
import { type CheckedTypeFacts, checkedTypeQueries } from '../catalog/checked-types.ts';
import { type ConstraintFacts, constraintQueries } from '../catalog/constraints.ts';
import { type DefinitionFacts, definitionQueries } from '../catalog/definitions.ts';
import { type DescriptionFacts, descriptionQueries } from '../catalog/description.ts';
import type { EntityFacts } from '../catalog/entities.ts';
import { entityQueries } from '../catalog/entities.ts';
import { type IndexFacts, indexQueries } from '../catalog/indexes.ts';
import { type JobFacts, jobQueries } from '../catalog/jobs.ts';
import { type MachineFacts, machineQueries } from '../catalog/machines.ts';
import { type PreRequestFacts, readPreRequests } from '../catalog/pre-request.ts';
import { type PublicationFacts, publicationQueries } from '../catalog/publications.ts';
import { type CatalogJson, parseCatalog, readCatalogJson, readCatalogParallel } from '../catalog/read-catalog.ts';
import type { RoutineFacts } from '../catalog/routines.ts';
import { routineQueries } from '../catalog/routines.ts';
import { type RefusalFacts, readScreenRefusals } from '../catalog/screen-refusals.ts';
import { boundQueries, type ServerLimitFacts } from '../catalog/server-limits.ts';
import { type WriteFunctionFacts, writeFunctionQueries } from '../catalog/write-functions.ts';
import type { Database, Executor } from '../database/database.ts';
import { withGeneratedViewFields } from './generated-view-fields.ts';

/** What there is, and what it is bounded by. */
interface ObjectFacts
  extends DescriptionFacts,
    MachineFacts,
    ServerLimitFacts,
    EntityFacts,
    RoutineFacts,
    DefinitionFacts {}

/** What is asked of its rows, and who may do what with it. */
interface AskedFacts
  extends ConstraintFacts,
    AccessFacts,
    IndexFacts,
    WriteFunctionFacts,
    CheckedTypeFacts,
    PublicationFacts,
    JobFacts {}

/** What is asked for by settings, and by what the app says of its screens. */
interface OptionFacts extends RefusalFacts, PreRequestFacts {}

/** Everything that the chapters are derived from: what the catalog said in one snapshot, and what serves the app. */
export interface Facts extends ObjectFacts, AskedFacts, OptionFacts {
  /** Schemas that /rest/v1 answers for, the default one first. */
  exposedSchemas: readonly string[];
  /** What calls look names up in after the schema of their own. */
  extraSearchPath: readonly string[];
  /** The app's login role: which roles a call can have is decided by what it may SET ROLE to. */
  authenticator: string;
  /** The role of a call without a token; null where such calls are refused. */
  anonymous: string | null;
  /** Where tokens name the role (the setting jwt_role_claim_key); null where it is the claim `role`, which every token of a member has. */
  roleClaim: string | null;
  /** The setting db_pre_request: the function that runs before each data call. */
  preRequest: string | null;
}

export interface FactOptions {
  exposedSchemas: readonly string[];
  /** The setting's default when missing. */
  extraSearchPath?: readonly string[];
  /** Name of the app's login role, `app_<ref>_authenticator`. */
  authenticator: string;
  /** The role of a call without a token, null where such calls are refused; anon when missing. */
  anonymous?: string | null;
  /** Where tokens name the role, null where it is the claim `role`; null when missing. */
  roleClaim?: string | null;
  /** The setting's default when missing. */
  preRequest?: string | null;
}

/** Facts as they were read, for the process that derives from them. */
export interface RawFacts {
  /** JSON objects whose members are the facts together. */
  parts: readonly CatalogJson<Partial<Facts>>[];
  options: FactOptions;
}

/** About as much work each. */
const objectQueries = {
  ...descriptionQueries,
  ...machineQueries,
  ...boundQueries,
  ...entityQueries,
  ...routineQueries,
  ...definitionQueries,
};
const askedQueries = {
  ...constraintQueries,
  ...accessQueries,
  ...indexQueries,
  ...writeFunctionQueries,
  ...checkedTypeQueries,
  ...publicationQueries,
  ...jobQueries,
};

/**
 * Reads what the specification is derived from. Any role that may connect can run it. Throws DatabaseError (55P03 when a
 * schema change holds a lock for longer than the limit catalogLockMilliseconds), ConnectionError or PoolTimeoutError.
 */
export async function loadFacts(executor: Executor, options: FactOptions): Promise<Facts> {
  return parseFacts(await readFactsWithin(executor, options));
}

/** The same without parsing it, by two connections at once. */
export async function readFacts(database: Database, options: FactOptions): Promise<RawFacts> {
  const { default: lock } = limits.catalogLockMilliseconds;
  const [parts, asked] = await Promise.all([
    readCatalogParallel<ObjectFacts, AskedFacts>(database, [objectQueries, askedQueries], lock),
    readForOptions(database, options),
  ]);
  return { parts: [...parts, asked], options };
}

/** The same as a transaction sees it that is under way. */
export async function readFactsWithin(executor: Executor, options: FactOptions): Promise<RawFacts> {
  const { default: lock } = limits.catalogLockMilliseconds;
  const json = await readCatalogJson<ObjectFacts & AskedFacts>(executor, { ...objectQueries, ...askedQueries }, lock);
  return { parts: [json, await readForOptions(executor, options)], options };
}

async function readForOptions(
  executor: Executor,
  { extraSearchPath, preRequest }: FactOptions,
): Promise<CatalogJson<OptionFacts>> {
  const path = extraSearchPath ?? defaultRestSettings.db_extra_search_path;
  const refusals = await readScreenRefusals(executor, path, limits.catalogLockMilliseconds.default);
  const named = await readPreRequests(executor, preRequest ?? defaultRestSettings.db_pre_request);
  return new TextEncoder().encode(
    JSON.stringify({ screen_refusals: refusals, pre_requests: named } satisfies OptionFacts),
  );
}

export function parseFacts({ parts, options }: RawFacts): Facts {
  const { exposedSchemas, authenticator, anonymous = 'anon', roleClaim = null } = options;
  const {
    extraSearchPath = defaultRestSettings.db_extra_search_path,
    preRequest = defaultRestSettings.db_pre_request,
  } = options;
  const read = Object.assign({}, ...parts.map(parseCatalog)) as ObjectFacts & AskedFacts & OptionFacts;
  const fields = withGeneratedViewFields(read);
  return { ...read, fields, exposedSchemas, extraSearchPath, authenticator, anonymous, roleClaim, preRequest };
}
