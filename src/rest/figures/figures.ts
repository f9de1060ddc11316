import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type {
  ComputedPart,
  DraftPart,
  FigurePeriod,
  FigureValue,
  PortalFigure,
  PortalFigures,
} from '../../../contract/portal.ts';
import type { RestSettings } from '../../../contract/settings.ts';
import { rolledBack, SavepointRunner } from '../../access/rolled-back.ts';
import type { App } from '../../apps/app.ts';
import type { SchemaCache } from '../../catalog/schema-cache.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, plain, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import { setupText } from '../../identity/setup-text.ts';
import type { ReadPlan } from '../plan/plan.ts';
import { planRequest } from '../plan/plan-request.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { parseRequest } from '../request/parse-request.ts';
import { renderError, schemaFor } from '../rest-api.ts';
import { beforeQuery } from '../sql/build-statements.ts';
import { Params } from '../sql/text.ts';
import { partText } from './part-sql.ts';
import { type Period, periodOf } from './period.ts';

/** The figures of one page, as the page's definition and the request name them. */
export interface FigureQuestion {
  readonly parts: readonly DraftPart[];
  readonly days: FigurePeriod;
  /** A time zone of PostgreSQL. */
  readonly zone: string;
}

/** The values that all parts of a request share. */
interface FigureContext {
  readonly app: App;
  readonly identity: Identity;
  readonly request: CallRequest;
  readonly schemaCache: SchemaCache;
  readonly settings: RestSettings;
  readonly zone: string;
}

/** All figures of a page see the same rows. */
const repeatableRead: Statement = plain(`SET LOCAL transaction_isolation TO 'REPEATABLE READ'`);

/**
 * Computes numbers, bars and lines of a page in one read-only transaction of the caller, whose policies decide which
 * rows are counted. A part that fails does not affect the others.
 * @throws NinefoldError validation_invalid for an unknown time zone
 * @throws ConnectionError
 * @throws PoolTimeoutError
 */
export async function computeFigures(
  app: App,
  identity: Identity,
  request: CallRequest,
  { parts, days, zone }: FigureQuestion,
): Promise<PortalFigures> {
  const { rest } = await app.settings();
  const { schemaCache, settings } = await schemaFor(app, identity, rest);
  const context = { app, identity, request, schemaCache, settings, zone };
  const until = performance.now() + limits.pageFiguresMilliseconds.default;
  return rolledBack(app.database, async (tx) => {
    const period = periodOf(await todayIn(zone, (statements) => tx.run(statements)), days);
    const savepoints = new SavepointRunner(tx, null);
    const figures: PortalFigure[] = [];
    for (const { part, entity } of parts) {
      if (request.signal.aborted) break;
      try {
        const statements = statementsOf(context, part, entity, period, until - performance.now());
        const results = await savepoints.try(statements);
        if (results instanceof DatabaseError) throw results;
        const found = results.at(-1);
        figures.push(figureOf(part, period, (found && firstJson<Computed>(found)) ?? {}));
      } catch (error) {
        figures.push(await failedFigure(context, part, error));
      }
    }
    return { from: period.from, to: period.to, parts: figures };
  });
}

/** SQLSTATE invalid_parameter_value, for an unknown time zone. */
const INVALID_PARAMETER = '22023';

/** Returns the current date in a time zone. */
async function todayIn(zone: string, run: (statements: Statement[]) => Promise<Parameters<typeof firstJson>[0][]>) {
  const setup = { text: setupText('timezone transaction_read_only'), params: [zone, 'on'], planKey: 'setup' };
  try {
    const results = await run([repeatableRead, setup, plain('select to_json(current_date)')]);
    return firstJson<string>(results[2] as Parameters<typeof firstJson>[0]) ?? '';
  } catch (error) {
    if (error instanceof DatabaseError && error.sqlstate === INVALID_PARAMETER) {
      throw new NinefoldError('validation_invalid', { message: `There is no time zone "${zone}".`, cause: error });
    }
    throw error;
  }
}

function statementsOf(
  { request, identity, schemaCache, settings, zone }: FigureContext,
  part: ComputedPart,
  entity: DraftPart['entity'],
  period: Period,
  leftMilliseconds: number,
): Statement[] {
  const read = parseRequest(dataRequest(request, part, entity, period, zone), settings);
  const plan = planRead(read, schemaCache, settings);
  const params = new Params();
  const text = partText(part, plan.read, period, params);
  const most = settings.db_statement_timeout ?? Number.POSITIVE_INFINITY;
  const timeout = Math.max(1, Math.floor(Math.min(limits.pageFigureMilliseconds.default, leftMilliseconds, most)));
  return [
    // The function db_pre_request has the same time as the part.
    ...beforeQuery(read, plan, identity, { ...settings, db_statement_timeout: timeout }),
    // The function may have changed the timeout.
    { text: setupText('statement_timeout'), params: [String(timeout)], planKey: 'setup' },
    { text, params: params.values, planKey: identity.role },
  ];
}

function planRead(request: ApiRequest, schemaCache: SchemaCache, settings: RestSettings): ReadPlan {
  const plan = planRequest(request, schemaCache, settings);
  if (plan.kind !== 'read') throw new Error('the path of a part names a relation');
  return plan;
}

/** Returns the data request for the rows of a part. Only `auth.uid()` of the filter comes from the caller. */
function dataRequest(
  request: CallRequest,
  { filter, ...part }: ComputedPart,
  { name, schema }: DraftPart['entity'],
  { before, from, end, at }: Period,
  zone: string,
): CallRequest {
  const over = 'over' in part ? part.over : null;
  // The first week of a line is complete.
  const first = part.kind === 'number' ? before : (at[0] ?? from);
  const column = over === null ? '' : encodeURIComponent(`"${over.replaceAll(/[\\"]/g, '\\$&')}"`);
  const terms = [
    ...(filter === null ? [] : [filter]),
    ...(over === null ? [] : [`${column}=gte.${first}`, `${column}=lt.${end}`]),
  ];
  const { range: _, 'accept-profile': __, ...headers } = request.headers;
  return {
    ...request,
    method: 'GET',
    path: `/${encodeURIComponent(name)}`,
    query: terms.join('&'),
    headers: {
      ...headers,
      accept: 'application/json',
      prefer: `timezone=${zone}`,
      ...(schema !== null && { 'accept-profile': schema }),
    },
    body: null,
    stream: null,
  };
}

/** The JSON value of a part, as `partText` builds it. */
interface Computed {
  readonly value?: FigureValue;
  readonly before?: FigureValue;
  readonly total?: FigureValue;
  readonly further?: number;
  readonly bars?: readonly { by: unknown; value: FigureValue }[];
  readonly lines?: readonly { by: unknown; points: readonly (readonly [string, FigureValue])[] }[];
}

function figureOf(part: ComputedPart, { at }: Period, found: Computed): PortalFigure {
  const { index } = part;
  const { value = null, before = null, total = null, further = 0, bars = [], lines = [] } = found;
  switch (part.kind) {
    case 'number':
      return { index, kind: 'number', value, ...(part.over !== null && { before }) };
    case 'bars':
      return { index, kind: 'bars', total, bars, further };
    case 'line': {
      // A day without rows has a count and a sum, but no average and no least or greatest value.
      const none = part.value === 'count' || part.value === 'sum' ? 0 : null;
      const drawn = lines.length === 0 && part.by === null ? [{ by: null, points: [] }] : lines;
      const filled = drawn.map(({ by, points }) => {
        const known = new Map(points);
        return { by, values: at.map((day) => known.get(day) ?? none) };
      });
      return { index, kind: 'line', at, lines: filled, further };
    }
  }
}

/** Returns the error of a part as a data request reports it. */
async function failedFigure({ app, identity, request }: FigureContext, { index }: ComputedPart, error: unknown) {
  if (!(error instanceof DatabaseError) && !(error instanceof NinefoldError)) throw error;
  const reply = await renderError(error, app, request, identity);
  const { code, message } = JSON.parse(String(reply?.body)) as { code: string; message: string };
  return { index, kind: 'failed' as const, code, message };
}
