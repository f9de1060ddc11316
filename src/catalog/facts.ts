import { limits } from '../../contract/limits.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import type { Database, Executor } from '../database/database.ts';
import type { AccessFacts } from './access.ts';
import { accessQueries } from './access.ts';
import { type BucketFacts, bucketQueries } from './buckets.ts';
import { changedRelations, FINGERPRINT, RELATION_COMMENTS } from './catalog-fingerprint.ts';
import { type CheckedTypeFacts, checkedTypeQueries } from './checked-types.ts';
import { type ConstraintFacts, constraintQueries } from './constraints.ts';
import { type DefinitionFacts, definitionQueries } from './definitions.ts';
import { type DescriptionFacts, descriptionQueries } from './description.ts';
import { type EdgeFunctionFacts, edgeFunctionQueries } from './edge-functions.ts';
import type { EntityFacts } from './entities.ts';
import { entityQueries } from './entities.ts';
import { type FileFieldFacts, fileFieldQueries } from './file-fields.ts';
import { withGeneratedViewFields } from './generated-view-fields.ts';
import { type IndexFacts, indexQueries } from './indexes.ts';
import { type JobFacts, jobQueries } from './jobs.ts';
import { type MachineFacts, machineQueries } from './machines.ts';
import { type NotificationRuleFacts, notificationRuleQueries } from './notification-rules.ts';
import { type KnownResults, parseRows, resultsJson } from './parse-rows.ts';
import { type PreRequestFacts, readPreRequests } from './pre-request.ts';
import { type PublicationFacts, publicationQueries } from './publications.ts';
import { type CatalogJson, readCatalogBeside, readCatalogJson, readCatalogParallel } from './read-catalog.ts';
import type { RoutineFacts } from './routines.ts';
import { routineQueries } from './routines.ts';
import { type RefusalFacts, readScreenRefusals } from './screen-refusals.ts';
import { boundQueries, type ServerLimitFacts } from './server-limits.ts';
import { wellFormedMenus, wellFormedPages } from './well-formed-pages.ts';
import { type WriteFunctionFacts, writeFunctionQueries } from './write-functions.ts';

/** Facts about the objects of the app and its server limits. */
interface ObjectFacts
  extends DescriptionFacts,
    MachineFacts,
    NotificationRuleFacts,
    ServerLimitFacts,
    EntityFacts,
    FileFieldFacts,
    DefinitionFacts,
    BucketFacts {}

/** Facts about functions, constraints, privileges and other conditions on rows. */
interface AskedFacts
  extends RoutineFacts,
    ConstraintFacts,
    AccessFacts,
    IndexFacts,
    WriteFunctionFacts,
    CheckedTypeFacts,
    PublicationFacts,
    JobFacts,
    EdgeFunctionFacts {}

/** Facts that depend on settings and on the app's screens. */
interface OptionFacts extends RefusalFacts, PreRequestFacts {}

/**
 * All facts that the chapters are derived from: one snapshot of the catalog, and the settings of the server for the
 * app.
 */
export interface Facts extends ObjectFacts, AskedFacts, OptionFacts {
  /** Schemas of /rest/v1, the default one first. */
  exposedSchemas: readonly string[];
  /** Schemas that calls search after the schema of the call. */
  extraSearchPath: readonly string[];
  /** The app's login role. A call can have the roles that this role may SET ROLE to. */
  authenticator: string;
  /** The role of a call without a token; null if such calls are refused. */
  anonymous: string | null;
  /**
   * The claim that names the role (the setting jwt_role_claim_key); null if it is the claim `role`, which every token
   * of a member has.
   */
  roleClaim: string | null;
  /** The function that runs before each data call (the setting db_pre_request). */
  preRequest: string | null;
}

/** The facts that decisions about privileges can depend on. */
export type DecisionFacts = Omit<
  Facts,
  | 'buckets'
  | 'comments'
  | 'description'
  | 'distance_indexes'
  | 'file_fields'
  | 'labels'
  | 'menus'
  | 'pages'
  | 'notification_rules'
  | 'published'
  | 'screens'
  | 'screen_refusals'
>;

export interface FactOptions {
  exposedSchemas: readonly string[];
  /** Default: the default of the setting db_extra_search_path. */
  extraSearchPath?: readonly string[];
  /** Name of the app's login role, `app_<ref>_authenticator`. */
  authenticator: string;
  /** The role of a call without a token; null if such calls are refused. Default: anon. */
  anonymous?: string | null;
  /** The claim that names the role; null for the claim `role`. Default: null. */
  roleClaim?: string | null;
  /** Default: the default of the setting db_pre_request. */
  preRequest?: string | null;
}

/** Unparsed facts for the specification process. */
export interface RawFacts {
  /** JSON objects that together contain all facts. If `isPartial` is true, they contain only some of them. */
  parts: readonly CatalogJson<Partial<Facts>>[];
  /** True if the other facts are those of an earlier reading. */
  isPartial?: true;
  options: FactOptions;
}

/**
 * Two sets of queries, which two connections run in parallel. They are divided so that both sets take about the same
 * time.
 */
const objectQueries = {
  ...descriptionQueries,
  ...machineQueries,
  ...notificationRuleQueries,
  ...boundQueries,
  ...entityQueries,
  ...fileFieldQueries,
  ...definitionQueries,
  ...bucketQueries,
};
const askedQueries = {
  ...routineQueries,
  ...constraintQueries,
  ...accessQueries,
  ...indexQueries,
  ...writeFunctionQueries,
  ...checkedTypeQueries,
  ...publicationQueries,
  ...jobQueries,
  ...edgeFunctionQueries,
};

/**
 * Reads and parses the facts. Any role that may connect can run the queries.
 * @throws ConnectionError, PoolTimeoutError, and DatabaseError: 55P03 if a schema change holds a lock for longer than
 * the limit catalogLockMilliseconds.
 */
export async function loadFacts(executor: Executor, options: FactOptions): Promise<Facts> {
  return parseFacts(await readFactsWithin(executor, options));
}

/**
 * Reads the facts on two connections in parallel, without parsing them.
 * @throws Errors of `loadFacts`.
 */
export async function readFacts(database: Database, options: FactOptions): Promise<RawFacts> {
  const { default: lock } = limits.catalogLockMilliseconds;
  const [parts, asked] = await Promise.all([
    readCatalogParallel<ObjectFacts, AskedFacts>(database, [objectQueries, askedQueries], lock),
    readForOptions(database, options),
  ]);
  return { parts: [...parts, asked], options };
}

/**
 * Relations whose rows only few queries read, with a pattern of the SQL that reads them. No function of PostgreSQL
 * prints their content or decides by it.
 */
const rarelyRead: Readonly<Record<string, RegExp>> = {
  [RELATION_COMMENTS]: /classoid = 'pg_catalog\.pg_class'|\bobj_description\([^)]*'pg_class'|\bcol_description/,
  pg_description: /classoid = 'pg_catalog\.(?!pg_class')|\bobj_description/,
  // A query that reads pg_depend without a class of dependent objects also reads what policies depend on.
  pg_policy: /pg_policy|^(?=.*pg_depend)(?!.*\.classid = )/s,
  'ninefold.app': /ninefold\.app\b/,
  'ninefold.screens': /ninefold\.screens/,
  'ninefold.pages': /ninefold\.pages/,
  'ninefold.menus': /ninefold\.menus/,
  'ninefold.labels': /ninefold\.labels/,
  'ninefold.notification_rules': /ninefold\.notification_rules/,
  'ninefold.file_fields': /ninefold\.file_fields/,
  'ninefold.described_buckets': /ninefold\.described_buckets/,
};

/**
 * Reads the facts that depend on the relations in which two fingerprints of the catalog differ. For most changes these
 * are all facts; a changed comment, label, screen or policy affects few queries.
 * @param before The fingerprint with which the other facts were read.
 * @param after A recent fingerprint.
 * @returns null if the change affects all facts, or if the fingerprint is another when the facts are read.
 * @throws Errors of `loadFacts`.
 */
export async function readChangedFacts(
  database: Database,
  options: FactOptions,
  { before, after }: { before: string; after: string },
): Promise<RawFacts | null> {
  const patterns = changedRelations(before, after).map((name) => rarelyRead[name]);
  if (patterns.length === 0 || patterns.includes(undefined)) return null;
  const queries = Object.entries({ ...objectQueries, ...askedQueries }).filter(([, sql]) =>
    patterns.some((pattern) => pattern?.test(sql)),
  );
  const { default: lock } = limits.catalogLockMilliseconds;
  const fingerprint = { text: FINGERPRINT, params: [], planKey: 'catalog state' };
  const [{ json, value }, asked] = await Promise.all([
    readCatalogBeside(database, Object.fromEntries(queries), fingerprint, lock),
    readForOptions(database, options),
  ]);
  return value === after ? { parts: [json, asked], isPartial: true, options } : null;
}

/**
 * Reads the facts within a transaction, without parsing them.
 * @throws Errors of `loadFacts`.
 */
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
    resultsJson({ screen_refusals: refusals, pre_requests: named } satisfies OptionFacts),
  );
}

const noOptionFacts: OptionFacts = { screen_refusals: [], pre_requests: [] };

/** The JSON of empty lists in place of all facts. */
export const emptyFacts: CatalogJson<Partial<Facts>> = new TextEncoder().encode(
  resultsJson({
    ...Object.fromEntries(Object.keys({ ...objectQueries, ...askedQueries }).map((name) => [name, []])),
    ...noOptionFacts,
  }),
);

/** Parsed facts with their results, which make the next reading cheaper. */
export interface ParsedFacts {
  facts: Facts;
  results: KnownResults;
}

/** Parses facts and adds the defaults of the options. */
export const parseFacts = (raw: RawFacts): Facts => parseChangedFacts(raw, null).facts;

/**
 * Parses facts and adds the defaults of the options. For a row that is unchanged since an earlier reading, returns the
 * same object.
 */
export function parseChangedFacts({ parts, isPartial, options }: RawFacts, earlier: ParsedFacts | null): ParsedFacts {
  const { exposedSchemas, authenticator, anonymous = 'anon', roleClaim = null } = options;
  const {
    extraSearchPath = defaultRestSettings.db_extra_search_path,
    preRequest = defaultRestSettings.db_pre_request,
  } = options;
  const parsed = parts.map((part) => parseRows(part, earlier?.results ?? new Map()));
  const unread = isPartial ? [...(earlier?.results ?? [])] : [];
  const results: KnownResults = new Map([...unread, ...parsed.flatMap((part) => [...part.results])]);
  const read = Object.fromEntries([...results].map(([name, { value }]) => [name, value])) as unknown as ObjectFacts &
    AskedFacts &
    OptionFacts;
  const fields = withGeneratedViewFields(read, earlier?.facts.fields);
  const [pages, menus] = [wellFormedPages(read.pages), wellFormedMenus(read.menus)];
  const facts = {
    ...read,
    fields,
    pages,
    menus,
    exposedSchemas,
    extraSearchPath,
    authenticator,
    anonymous,
    roleClaim,
    preRequest,
  };
  return { facts, results };
}
