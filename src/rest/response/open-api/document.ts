import type { Reply } from '../../../../contract/call-request.ts';
import type { RestSettings } from '../../../../contract/settings.ts';
import { nameKey, type Relation, type Routine, type SchemaCache, type SqlName } from '../../../catalog/schema-cache.ts';
import type { DescribePlan } from '../../plan/plan.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import type { Described } from '../../sql/describe.ts';
import { withoutColumns } from '../../visible-names.ts';
import * as relations from './relation.ts';
import * as routines from './routine.ts';
import { type JsonObject, summaryAndDescription } from './types.ts';

/**
 * Returns the OpenAPI 2.0 document of a schema, in the structure of PostgREST's document (PostgREST docs, "OpenAPI").
 * @param url Public URL of the schema.
 */
function openApiDocument(
  schema: string,
  schemaCache: SchemaCache,
  described: Described,
  settings: RestSettings,
  url: string,
): JsonObject {
  const { shownRelations, shownRoutines } = shown(schema, schemaCache, described, settings);
  const { summary, description } = summaryAndDescription(described.comment);
  const shownByName = new Map(shownRelations.map((relation) => [nameKey(relation), relation]));
  const isShown = (name: SqlName, column: string) =>
    settings.openapi_mode === 'ignore-privileges' || shownByName.get(nameKey(name))?.columns.has(column) === true;
  const secured = settings.openapi_security_active;
  return {
    swagger: '2.0',
    info: {
      title: summary ?? 'Data API',
      description: description ?? 'The tables, views and functions of one schema, over the protocol of PostgREST.',
      version: '14',
    },
    ...(address(settings.openapi_server_proxy_uri ?? url) ?? address(url)),
    consumes: mediaTypes,
    produces: mediaTypes,
    paths: Object.fromEntries([
      ['/', rootPath],
      ...shownRelations.map((relation) => [`/${relation.name}`, relations.path(relation)]),
      ...shownRoutines.map((routine) => [`/rpc/${routine.name}`, routines.path(routine)]),
    ]),
    definitions: Object.fromEntries(
      shownRelations.map((relation) => [relation.name, relations.definition(relation, schemaCache, isShown)]),
    ),
    parameters: Object.fromEntries([
      ...Object.entries(commonParameters),
      ...shownRelations.flatMap((relation) => relations.parameters(relation)),
    ]),
    externalDocs: {
      description: 'PostgREST Documentation',
      url: 'https://docs.postgrest.org/en/stable/references/api.html',
    },
    ...(secured ? security : {}),
  };
}

function shown(
  schema: string,
  schemaCache: SchemaCache,
  described: Described,
  settings: RestSettings,
): { shownRelations: Relation[]; shownRoutines: Routine[] } {
  const everything = settings.openapi_mode === 'ignore-privileges';
  const relationOids = new Set(described.relations);
  const functionOids = new Set(described.functions);
  return {
    shownRelations: [...schemaCache.relations.values()]
      .filter((relation) => relation.schema === schema && (everything || relationOids.has(relation.oid)))
      .map((relation) => (everything ? relation : withoutColumns(relation, described.hidden[relation.oid]))),
    shownRoutines: [...schemaCache.functions.values()]
      .flat()
      .filter((routine) => routine.schema === schema && (everything || functionOids.has(routine.oid)))
      .map((routine) => (everything ? routine : withTypes(routine, described.types[routine.oid]))),
  };
}

/** Returns the function with these types of its parameters, in their order. */
const withTypes = (routine: Routine, types: readonly string[] | undefined): Routine => ({
  ...routine,
  parameters: routine.parameters.map((parameter, place) => ({ ...parameter, type: types?.[place] ?? parameter.type })),
});

/** Returns host and path of a URL for the document; null if the string is not a URL. */
function address(url: string): JsonObject | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host, hostname, port, pathname } = new URL(url);
  const isHttps = protocol === 'https:';
  return {
    schemes: [isHttps ? 'https' : 'http'],
    host: port === '' ? `${hostname}:${isHttps ? 443 : 80}` : host,
    basePath: pathname,
  };
}

const mediaTypes = [
  'application/json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.object+json',
  'text/csv',
];

const rootPath = {
  get: {
    tags: ['Introspection'],
    summary: 'OpenAPI description (this document)',
    produces: ['application/openapi+json', 'application/json'],
    responses: { 200: { description: 'OK' } },
  },
};

const security = {
  securityDefinitions: {
    JWT: {
      type: 'apiKey',
      name: 'Authorization',
      in: 'header',
      description: 'Add the token prepending "Bearer " (without quotes) to it',
    },
  },
  security: [{ JWT: [] }],
};

const prefer = (values?: readonly string[]): JsonObject => ({
  name: 'Prefer',
  description: 'Preference',
  required: false,
  in: 'header',
  type: 'string',
  enum: values,
});
const inQuery = (name: string, description: string): JsonObject => ({
  name,
  description,
  required: false,
  in: 'query',
  type: 'string',
});
const inHeader = (name: string, extra: JsonObject = {}): JsonObject => ({
  name,
  description: 'Limiting and Pagination',
  required: false,
  in: 'header',
  type: 'string',
  ...extra,
});

const returns = ['return=representation', 'return=minimal', 'return=none'];

const commonParameters: Readonly<Record<string, JsonObject>> = {
  preferParams: prefer(),
  preferReturn: prefer(returns),
  preferCount: prefer(['count=none']),
  preferPost: prefer([...returns, 'resolution=ignore-duplicates', 'resolution=merge-duplicates']),
  select: inQuery('select', 'Filtering Columns'),
  on_conflict: inQuery('on_conflict', 'On Conflict'),
  order: inQuery('order', 'Ordering'),
  range: inHeader('Range'),
  rangeUnit: inHeader('Range-Unit', { default: 'items' }),
  offset: inQuery('offset', 'Limiting and Pagination'),
  limit: inQuery('limit', 'Limiting and Pagination'),
};

/**
 * Builds the response with the OpenAPI document.
 * @param url Public URL of `/rest/v1`.
 */
export function describeReply(
  request: ApiRequest,
  plan: DescribePlan,
  described: Described,
  schemaCache: SchemaCache,
  settings: RestSettings,
  url: string,
): Reply {
  const headers: Record<string, string> = {
    'content-type': 'application/openapi+json; charset=utf-8',
  };
  if (request.schemaNegotiated) headers['content-profile'] = request.schema;
  const body = plan.headOnly
    ? null
    : JSON.stringify(openApiDocument(plan.schema, schemaCache, described, settings, url));
  return { status: 200, headers, body };
}
