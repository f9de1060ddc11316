import type { Chapters, ErrorLine, Specification } from '../../../../contract/specification.ts';
import type { CallEntry } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { callableRoutines } from '../../../access/exposed.ts';
import { groupBy } from '../../../catalog/group.ts';
import { compareText, idOf } from '../../../catalog/names.ts';
import { ErrorsOfCalls } from '../../derive/chapters/errors/call-errors.ts';
import type { FieldRights } from '../portal/member-fields.ts';
import type { TypeFacts } from '../types/facts.ts';
import { inputSchemas, type JsonSchema, shapeSchema } from '../types/json-schema.ts';
import { NamedTypes } from '../types/type-names.ts';
import { bodyOf, parametersOf } from './parameters.ts';

/**
 * Returns the OpenAPI 3.1 document of an app (https://spec.openapis.org/oas/v3.1.1): the calls of chapter 7 with their
 * inputs and responses, and the errors of chapter 8 by status.
 *
 * @param url The URL of the app for its clients, without a trailing slash.
 * @param rights The fields that the reader may use, by the id of the entity; null for all fields.
 */
export function openApiDocument(
  specification: Specification,
  types: TypeFacts,
  url: string,
  rights: ReadonlyMap<string, FieldRights> | null = null,
): JsonSchema {
  const { app, hash, chapters } = specification;
  const named = new NamedTypes(types.named_types);
  const entities = (chapters.entities?.entities ?? []).filter((entity) => entity.exposed);
  const [defaultSchema] = types.facts.exposedSchemas;
  const fieldsFor = (operation: keyof FieldRights, entity: string) =>
    rights === null ? null : (rights.get(entity)?.[operation] ?? NONE);
  const names = new Map(
    entities.map((entity) => [
      entity.id,
      entity.schema === defaultSchema ? entity.name : `${entity.schema}.${entity.name}`,
    ]),
  );
  const rows = entities.map((entity): [string, JsonSchema] => [
    names.get(entity.id) ?? entity.id,
    onlyFields(rowSchema(entity, named), fieldsFor('read', entity.id)),
  ]);
  const written = inputSchemas(types)
    .filter(({ entity }) => names.has(entity))
    .map(({ name, entity, operation, schema }): [string, JsonSchema] => [
      name,
      onlyFields(schema, fieldsFor(operation, entity)),
    ]);
  const errors = errorResponses(chapters.errors?.errors ?? []);
  const write = new Operations({
    entities,
    names,
    types,
    named,
    chapters,
    responses: errors,
    readable: (entity) => fieldsFor('read', entity),
  });
  const calls = groupBy((chapters.calls?.calls ?? []).filter(isHttp), (call) => call.path.split('?')[0] ?? '');
  return {
    openapi: '3.1.1',
    info: {
      title: chapters.purpose?.name ?? app.name,
      version: hash.slice(0, 12),
      summary: chapters.purpose?.purpose ?? `What the app ${app.ref} answers.`,
    },
    servers: [{ url }],
    security: [{ apikey: [] }, { apikey: [], member: [] }],
    tags: [
      { name: 'auth', description: 'Sign-in and sessions' },
      { name: 'rest', description: 'Tables and views' },
      { name: 'rpc', description: 'Functions' },
      ...(chapters.calls?.calls.some(({ area }) => area === 'storage')
        ? [{ name: 'storage', description: 'Files' }]
        : []),
      ...(chapters.calls?.calls.some(({ area }) => area === 'realtime')
        ? [{ name: 'realtime', description: 'Broadcasts' }]
        : []),
      ...(chapters.calls?.calls.some(({ area }) => area === 'functions')
        ? [{ name: 'functions', description: 'Edge functions' }]
        : []),
    ],
    paths: Object.fromEntries([...calls].map(([path, group]) => [path, write.path(group)])),
    components: {
      schemas: Object.fromEntries(
        [...rows, ...written, ['Error', errorSchema]].map(([name, schema]) => [componentName(name as string), schema]),
      ),
      responses: Object.fromEntries([...errors].map(([name, { response }]) => [name, response])),
      securitySchemes: {
        apikey: {
          type: 'apiKey',
          in: 'header',
          name: 'apikey',
          description: 'The publishable key, or the secret key.',
        },
        member: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token of a signed-in member.',
        },
      },
    },
  };
}

/** Returns false for a call that opens a WebSocket, which OpenAPI does not describe. */
const isHttp = ({ area, method }: CallEntry): boolean => area !== 'realtime' || method !== 'GET';

/** Returns the schema of a row in a response. */
function rowSchema(entity: Entity, named: NamedTypes): JsonSchema {
  const properties = entity.fields.map((field): [string, JsonSchema] => {
    const schema = shapeSchema(named.shapeOf(field.type));
    const value = field.nullable ? nullable(schema) : schema;
    return [field.name, field.comment === null ? value : { description: field.comment, ...value }];
  });
  return {
    type: 'object',
    ...(entity.comment !== null && { description: entity.comment }),
    properties: Object.fromEntries(properties),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the schema of an object with only the given properties; all of them if `fields` is null. */
function onlyFields(schema: JsonSchema, fields: ReadonlySet<string> | null): JsonSchema {
  if (fields === null) return schema;
  const { properties, required, ...rest } = schema;
  const kept = Array.isArray(required) ? required.filter((name) => fields.has(name)) : [];
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => fields.has(name))),
    ...(kept.length > 0 && { required: kept }),
  };
}

const errorSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: ['string', 'integer'], description: 'The code of the error. The documentation describes each code.' },
    message: { type: 'string' },
    details: {},
    hint: { type: ['string', 'null'] },
    error: { type: 'string', description: 'Of /storage/v1 and /realtime/v1.' },
    statusCode: { type: 'string', description: 'Of /storage/v1: the HTTP status.' },
    error_code: { type: 'string', description: 'Of /auth/v1: which error it is.' },
    msg: { type: 'string', description: 'Of /auth/v1.' },
  },
};

/** The groups of errors of chapter 8 that calls can return, by the kind of call. */
const errorGroups: Readonly<
  Record<'auth' | 'storage' | 'realtime' | 'functions' | 'data', readonly ErrorLine['group'][]>
> = {
  auth: ['auth', 'ninefold'],
  storage: ['storage', 'ninefold'],
  realtime: ['realtime', 'ninefold'],
  functions: ['functions', 'ninefold'],
  data: ['rest', 'postgres', 'ninefold', 'rule', 'transition', 'function'],
};

interface StatusErrors {
  area: keyof typeof errorGroups;
  status: number;
  response: JsonSchema;
}

/** Returns the errors that any call of the same kind can return, by the group of calls and the status: `data-400`. */
function errorResponses(errors: readonly ErrorLine[]): Map<string, StatusErrors> {
  const found = new Map<string, StatusErrors>();
  for (const [area, groups] of Object.entries(errorGroups) as [StatusErrors['area'], ErrorLine['group'][]][]) {
    if (
      (area === 'storage' || area === 'realtime' || area === 'functions') &&
      !errors.some(({ group }) => group === area)
    )
      continue;
    const lines = errors
      .filter(({ group }) => groups.includes(group))
      .flatMap(({ code, statuses }) => statuses.map((status) => ({ code, status })))
      .filter(({ status }) => status >= 400 && status < 600);
    for (const [status, group] of [...groupBy(lines, (line) => line.status)].sort(([a], [b]) => a - b)) {
      const codes = [...new Set(group.map(({ code }) => code).filter((code) => code !== null))].sort(compareText);
      const description = codes.length === 0 ? 'An error of the app’s own.' : `One of: ${codes.join(', ')}`;
      found.set(`${area}-${status}`, { area, status, response: { description, content: json(reference('Error')) } });
    }
  }
  return found;
}

const ONLY_READS =
  ' It runs in a read-only transaction: where the function writes, the response is 405 (25006), or 400 (0A000) if it is declared STABLE or IMMUTABLE.';

/** Returns the single schema, or a schema for any of several. */
function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length > 1 ? { anyOf: different } : (different[0] ?? {});
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

interface Parts {
  entities: readonly Entity[];
  /** The names of the schemas of the entities, by the id of the entity. */
  names: Named;
  types: TypeFacts;
  named: NamedTypes;
  chapters: Chapters;
  responses: ReadonlyMap<string, StatusErrors>;
  /** Returns the names of the fields of an entity that the reader may read; null for all. */
  readable: (entity: string) => ReadonlySet<string> | null;
}

class Operations {
  readonly #parts: Parts;
  readonly #entities: ReadonlyMap<string, Entity>;
  readonly #errorsOfCalls: ErrorsOfCalls;
  /** The entities that each function writes. */
  readonly #writes: ReadonlyMap<string, readonly string[] | undefined>;
  readonly #routines: ReadonlyMap<string, { oid: number; returnsSet: boolean }>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#errorsOfCalls = new ErrorsOfCalls(parts.chapters);
    this.#writes = new Map((parts.chapters.calls?.functions ?? []).map(({ id, writes }) => [id, writes]));
    this.#entities = new Map(parts.entities.map((entity) => [entity.id, entity]));
    this.#routines = new Map(
      callableRoutines(parts.types.facts).map((one) => [idOf(one), { oid: one.oid, returnsSet: one.returns_set }]),
    );
  }

  /**
   * Returns the operations of one path. Several calls may have the same path and method. They then differ by a value in
   * the query, the body or a header.
   */
  path(calls: readonly CallEntry[]): JsonSchema {
    return Object.fromEntries(
      [...groupBy(calls, ({ method }) => method)].map(([method, group]) => [
        method.toLowerCase(),
        this.#operation(group),
      ]),
    );
  }

  #operation(calls: readonly CallEntry[]): JsonSchema {
    const [first] = calls;
    const bodies = calls.map((call) => this.#body(call)).filter((body) => body !== null);
    const own = [...new Set(calls.flatMap((call) => this.#errorsOfCalls.of(call).own))];
    const written = calls.flatMap(({ area, entity }) => (area === 'rpc' && this.#writes.get(entity ?? '')) || []);
    const writes = [...new Set(written)].filter((id) => this.#entities.has(id));
    const roles = new Set(calls.flatMap((call) => call.roles));
    return {
      operationId: calls.map(({ id }) => id).join(' '),
      tags: [first?.area ?? 'rest'],
      summary: calls.map(({ summary }) => summary).join(' Or: '),
      ...(roles.size > 0 && {
        description: `For: ${[...roles].join(', ')}.${calls.some((call) => call.reads_only) ? ONLY_READS : ''}`,
      }),
      parameters: parametersOf(calls, this.#parts.chapters.calls?.rows ?? [], (call) =>
        this.#filters(call.entity ?? ''),
      ),
      ...(bodies.length > 0 && {
        requestBody: {
          required: calls.length === 1,
          content: json(anyOf(bodies)),
        },
      }),
      responses: { ...this.#answers(calls), ...this.#errors(first?.area ?? 'rest') },
      // The ids in chapter 8 of errors of the app's own rules, state machines and functions.
      ...(own.length > 0 && { 'x-errors': own }),
      // The ids in chapter 3 of the described entities whose rows the function changes.
      ...(writes.length > 0 && { 'x-writes': writes }),
    };
  }

  /** Returns the names of the fields by which the reader may filter the rows of an entity. */
  #filters(entity: string): string[] {
    const fields = this.#entities.get(entity)?.fields.map(({ name }) => name) ?? [];
    const readable = this.#parts.readable(entity);
    return readable === null ? fields : fields.filter((name) => readable.has(name));
  }

  #body(call: CallEntry): JsonSchema | null {
    const { names, types, named } = this.#parts;
    const name = call.entity === null ? undefined : names.get(call.entity);
    if (call.area === 'rest' && name !== undefined && call.method === 'POST') {
      const row = reference(`${name}.insert`);
      return { anyOf: [row, { type: 'array', items: row }] };
    }
    if (call.area === 'rest' && name !== undefined && call.method === 'PATCH') return reference(`${name}.update`);
    return bodyOf(call, (type) => shapeSchema(named.shapeOf(type)), callableRoutines(types.facts));
  }

  #answers(calls: readonly CallEntry[]): JsonSchema {
    const answers = calls.flatMap((call) => this.#answer(call));
    return Object.fromEntries(
      [...groupBy(answers, ({ status }) => status)].map(([status, group]) => {
        const schemas = group.map(({ schema }) => schema).filter((schema) => schema !== null);
        const description = [...new Set(group.map(({ words }) => words))].join(' Or: ');
        return [status, { description, ...(schemas.length > 0 && { content: json(anyOf(schemas)) }) }];
      }),
    );
  }

  #answer(call: CallEntry): { status: string; words: string; schema: JsonSchema | null }[] {
    const { names, types, named } = this.#parts;
    const name = call.entity === null ? undefined : names.get(call.entity);
    const rows = name === undefined ? null : { type: 'array', items: reference(name) };
    if (call.area === 'rest') {
      if (call.entity === null) return [{ status: '200', words: call.returns ?? '', schema: { type: 'object' } }];
      if (call.method === 'GET') {
        const words = 'Rows';
        return [
          { status: '200', words, schema: rows },
          { status: '206', words: 'A part of the rows, where their number was asked for', schema: rows },
        ];
      }
      const done = call.method === 'POST' ? '201' : '200';
      const given = { status: done, words: 'The rows, with Prefer: return=representation', schema: rows };
      const beside =
        call.method === 'POST'
          ? { status: '200', words: 'The rows of an upsert that added none', schema: rows }
          : { status: '204', words: 'Done', schema: null };
      return [given, beside];
    }
    if (call.area === 'functions') return [{ status: '200', words: call.returns ?? '', schema: {} }];
    if (call.area === 'realtime') return [{ status: '202', words: 'Sent', schema: null }];
    if (call.area === 'auth' || call.area === 'storage') {
      const isEmpty = call.returns?.startsWith('204') === true;
      return [
        { status: isEmpty ? '204' : '200', words: call.returns ?? '', schema: isEmpty ? null : { type: 'object' } },
      ];
    }
    const routine = this.#routines.get(call.entity ?? '');
    const output = types.outputs.find((one) => one.routine === routine?.oid);
    if (!output || output.type === 'void') return [{ status: '204', words: 'Done', schema: null }];
    const columns = named
      .columnsOf(output)
      .map((column): [string, JsonSchema] => [column.name, nullable(shapeSchema(named.shapeOf(column.type)))]);
    const one: JsonSchema =
      columns.length > 0
        ? { type: 'object', properties: Object.fromEntries(columns) }
        : nullable(shapeSchema(named.shapeOf(output.type)));
    return [
      { status: '200', words: call.returns ?? '', schema: routine?.returnsSet ? { type: 'array', items: one } : one },
    ];
  }

  #errors(area: CallEntry['area']): JsonSchema {
    const wanted = area === 'rest' || area === 'rpc' ? 'data' : area;
    const known = [...this.#parts.responses].filter(([, one]) => one.area === wanted);
    return Object.fromEntries([
      ...known.map(([name, { status }]) => [String(status), { $ref: `#/components/responses/${name}` }] as const),
      ['default', { description: 'Any other error', content: json(reference('Error')) }] as const,
    ]);
  }
}

type Named = ReadonlyMap<string, string>;

/**
 * Returns a name for a component, which may contain only certain characters (OpenAPI 3.1, 4.8.7). Other characters are
 * replaced by their code points.
 */
const componentName = (name: string): string =>
  [...name]
    .map((character) =>
      (/[\w.-]/.test(character) ? character : `~${character.codePointAt(0)?.toString(16)}~`).replaceAll('~', '-'),
    )
    .join('');

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${componentName(name)}` });

/**
 * Returns a schema that also accepts null. A schema without keywords stays as it is, because it accepts null already.
 */
const nullable = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };
