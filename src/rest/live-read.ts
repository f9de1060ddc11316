import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { type ReadRoots, type ReadSources, readSources } from '../access/read-sources.ts';
import type { App } from '../apps/app.ts';
import { nameKey, type Relation, type SchemaCache, type SqlName } from '../catalog/schema-cache.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { handleRest } from './handle.ts';
import type { Condition, PlannedField, PlannedSelect, ReadNode, ReadPlan } from './plan/plan.ts';
import { planRequest } from './plan/plan-request.ts';
import type { PlanCache } from './plan-cache.ts';
import type { Operation } from './request/api-request.ts';
import { parseRequest } from './request/parse-request.ts';
import { limitOf } from './request/row-range.ts';
import { renderError, schemaFor } from './rest-api.ts';

/** A GET below /rest/v1 without headers. */
export interface LiveQuery {
  /** The header Accept-Profile; null for the first exposed schema. */
  readonly schema: string | null;
  /** Path and query as in a URL. */
  readonly path: string;
  readonly query: string;
}

/** The parts of a read that are known before it runs. */
export interface LivePlan extends ReadSources {
  /** Names of the fields that contain the primary key. */
  readonly key: readonly string[];
  /** True if the filters compare the whole primary key with one value, so that the result is one row at most. */
  readonly isOneRow: boolean;
  /** The query with a limit of rows. */
  readonly query: LiveQuery;
}

/** Values of filters that PostgreSQL reads as the current time (manual, "Special Date/Time Inputs"). */
const TIME_VALUES = /\b(?:now|today|tomorrow|yesterday)\b/i;

/** Plans and runs the reads of live lists as GETs of a caller. */
export class LiveReads {
  readonly #plans: PlanCache;

  constructor(plans: PlanCache) {
    this.#plans = plans;
  }

  /**
   * Plans a read and finds the tables on which its result depends.
   * @throws NinefoldError LiveListRefused for a read that has no primary key or may have too many rows, and the errors of
   * a GET
   * @throws DatabaseError
   */
  async plan(app: App, identity: Identity, query: LiveQuery): Promise<LivePlan> {
    const { rest } = await app.settings();
    const { schemaCache, settings } = await schemaFor(app, identity, rest);
    const call = callOf(query);
    let plan: ReturnType<typeof planRequest>;
    let rows: bigint | null;
    try {
      const request = parseRequest(call, settings);
      rows = limitOf(request.topRange);
      plan = planRequest(request, schemaCache, settings);
    } catch (error) {
      // A GET throws the error as the caller may see it.
      await this.run(app, identity, query);
      throw error;
    }
    if (plan.kind !== 'read') throw refused('The read of a live list names a table or view.');
    const max = limits.realtimeLiveRows.default;
    if (rows !== null && rows > BigInt(max)) throw refused(`A live list has at most ${max} rows. Use a smaller limit.`);
    const relation = schemaCache.relations.get(nameKey(plan.target));
    const key = keyOf(plan, relation);
    const roots = rootsOf(plan, schemaCache, settings.db_pre_request);
    const sources = await readSources(app.database, roots);
    const isTimed = TIME_VALUES.test(decodeURIComponent(query.query.replaceAll(/%(?![\da-f]{2})/gi, '%25')));
    const separator = query.query === '' ? '' : '&';
    return {
      tables: sources.tables,
      isComplete: sources.isComplete && !isTimed,
      key,
      isOneRow: comparesKey(plan.read.where, relation?.primaryKey ?? []),
      // One more row than allowed shows that there are too many.
      query: rows === null ? { ...query, query: `${query.query}${separator}limit=${max + 1}` } : query,
    };
  }

  /**
   * Runs a read in its own transaction.
   * @returns a JSON list of rows
   * @throws NinefoldError LiveListRefused if the rows have too many bytes, and the errors of a GET
   * @throws DatabaseError
   */
  async run(app: App, identity: Identity, query: LiveQuery): Promise<string> {
    const { rest } = await app.settings();
    const { schemaCache, settings } = await schemaFor(app, identity, rest);
    const { database } = app;
    const { body } = await handleRest({ database, schemaCache, identity, settings, plans: this.#plans }, callOf(query));
    return textOf(body);
  }

  /** Returns code and message of an error of `plan` or `run` as a GET has them; null for an internal error. */
  async errorOf(error: unknown, app: App, identity: Identity): Promise<{ code: string; message: string } | null> {
    if (error instanceof NinefoldError) return { code: error.code, message: error.message };
    const reply = await renderError(error, app, callOf({ schema: null, path: '/', query: '' }), identity);
    if (typeof reply?.body !== 'string') return null;
    const { code, message } = JSON.parse(reply.body) as { code: string; message: string };
    return { code, message };
  }
}

const neverAborted: CallRequest['signal'] = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
};

const callOf = ({ schema, path, query }: LiveQuery): CallRequest => ({
  method: 'GET',
  path,
  query,
  headers: { accept: 'application/json', ...(schema !== null && { 'accept-profile': schema }) },
  body: null,
  stream: null,
  target: `/rest/v1${path}?${query}`,
  address: '',
  requestId: 'live',
  baseUrl: '',
  signal: neverAborted,
});

const refused = (message: string): NinefoldError => new NinefoldError('LiveListRefused', { message });

async function textOf(body: Reply['body']): Promise<string> {
  const max = limits.realtimeLiveBytes.default;
  const tooLarge = () => refused(`The rows of a live list have at most ${max} bytes.`);
  if (body === null || typeof body === 'string') return body ?? '[]';
  if (body instanceof Uint8Array) {
    if (body.length > max) throw tooLarge();
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  }
  if ((body.length ?? 0) > max) {
    body.destroy();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws NinefoldError LiveListRefused if the rows do not contain their primary key */
function keyOf({ target, read }: ReadPlan, relation: Relation | undefined): readonly string[] {
  const primaryKey = relation?.primaryKey ?? [];
  if (primaryKey.length === 0) throw refused(`"${target.name}" has no primary key, which a live list needs.`);
  return primaryKey.map((column) => {
    const item = read.select.find((each) => showsColumn(each, column));
    if (!item) throw refused(`A live list selects the primary key. Add "${column}" to select.`);
    return item.field.name === '*' ? column : (item.alias ?? column);
  });
}

/** Different values have different texts, so a column as text identifies a row, too. */
const showsColumn = ({ field, cast, aggregate }: PlannedSelect, column: string): boolean =>
  (field.name === '*' || field.name === column) &&
  field.path.length === 0 &&
  (cast === null || cast === 'text') &&
  aggregate === null;

function comparesKey(where: readonly Condition[], primaryKey: readonly string[]): boolean {
  const compared = new Set(
    where.flatMap((condition) =>
      condition.kind === 'filter' &&
      !condition.negated &&
      isEqualTo(condition.operation) &&
      condition.field.path.length === 0
        ? [condition.field.name]
        : [],
    ),
  );
  return primaryKey.every((column) => compared.has(column));
}

/** Returns true for the operation of a filter such as `id=eq.1`. */
const isEqualTo = (operation: Operation): boolean =>
  operation.kind === 'quantified' && operation.operator === 'eq' && operation.quantifier === null;

/** Returns the relations and functions that a plan names. */
function rootsOf(plan: ReadPlan, schemaCache: SchemaCache, preRequest: string | null): ReadRoots {
  const relations: SqlName[] = [];
  const functions: { schema: string | null; name: string }[] = [];
  const addField = (relation: Relation | undefined, { name, transform }: PlannedField) => {
    // PostgreSQL resolves a name that is no column to a function of the row.
    if (name !== '*' && !relation?.columns.has(name)) functions.push({ schema: null, name });
    if (transform) functions.push(transform);
  };
  const addConditions = (relation: Relation | undefined, conditions: readonly Condition[]): void => {
    for (const condition of conditions) {
      if (condition.kind === 'filter') addField(relation, condition.field);
      else if (condition.kind === 'no-related') addNode(condition.child);
      else addConditions(relation, condition.children);
    }
  };
  const addNode = (node: ReadNode): void => {
    relations.push(node.relation);
    const relation = schemaCache.relations.get(nameKey(node.relation));
    const relationship = node.embedding?.relationship;
    if (relationship?.kind === 'many-to-many') relations.push(relationship.junction);
    if (relationship?.kind === 'computed') functions.push(relationship.function);
    for (const { field } of [...node.select, ...node.orderColumns, ...node.order]) addField(relation, field);
    addConditions(relation, node.where);
    for (const child of node.children) addNode(child);
  };
  addNode(plan.read);
  if (preRequest !== null) functions.push({ schema: null, name: preRequest.split('.').at(-1) ?? preRequest });
  return { relations, functions };
}
