import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type {
  CallStatistic,
  CallStatisticsResponse,
  ListedCall,
  LogLine,
  RequestTraceResponse,
} from '../../../contract/observed.ts';
import { userAddresses } from '../../accounts/users/users.ts';
import type { App } from '../../apps/app.ts';
import { readFailedRequests } from '../../apps/log/stored-traces.ts';
import { quantile } from '../../apps/statistics/call-statistics.ts';
import { figuresOf, readSeries, windows } from '../../apps/statistics/read-statistics.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { isRequestId } from '../../observe/request-id.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { Caller } from '../context.ts';
import { isReader } from '../least-role.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

const windowOf = z.enum(['hour', 'day', 'week']);

const showCalls = adminCall({
  route: 'GET /apps/:ref/statistics/calls',
  least: 'reader',
  summary: 'Returns the number, the results and the duration of the requests to each call, or to the one call `call`.',
  returns: 'CallStatisticsResponse',
  query: ['window', 'call'],
  handle: async ({ context, ref, query }) => {
    const asked = windowOf.safeParse(query.get('window') ?? 'hour');
    if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'window is hour, day or week.' });
    const app = await openApp(context, ref);
    const [series, names] = await Promise.all([readSeries(app, asked.data), context.specify.callNames(app)]);
    const known = new Map(names.map((call) => [call.id, call]));
    const only = query.get('call');
    const wanted = [...series.calls].filter(([id]) => only === null || id === only);
    const calls = wanted.map(([id, counted]): CallStatistic => {
      const call = known.get(id);
      const { points } = counted;
      return {
        ...{ id, area: call?.area ?? null, method: call?.method ?? null, path: call?.path ?? null },
        figures: figuresOf(counted, asked.data),
        points: {
          calls: points.map((point) => point?.calls ?? 0),
          failed: points.map((point) => point?.failed ?? 0),
          p50_ms: points.map((point) => quantile(point?.histogram ?? [], 0.5)),
          p99_ms: points.map((point) => quantile(point?.histogram ?? [], 0.99)),
        },
      };
    });
    const answer: CallStatisticsResponse = {
      window: asked.data,
      step_seconds: windows[asked.data].step,
      at: series.starts.map((start) => new Date(start * 1000).toISOString()),
      calls: calls.sort((a, b) => b.figures.calls - a.figures.calls || (a.id < b.id ? -1 : 1)),
    };
    return json(answer);
  },
});

const showErrors = adminCall({
  route: 'GET /apps/:ref/errors',
  least: 'reader',
  summary: 'Returns the most recent failed requests, newest first. `console=true` includes those of builders.',
  returns: 'ListedCall[]',
  query: ['code', 'console', 'limit'],
  handle: async ({ context, caller, ref, query }) => {
    const max = limits.recentErrors.default;
    const asked = z.coerce
      .number()
      .int()
      .positive()
      .safeParse(query.get('limit') ?? max);
    if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'limit is a whole number from 1.' });
    const code = query.get('code');
    if (code?.includes('\0')) throw new NinefoldError('validation_invalid', { message: 'code cannot hold a NUL.' });
    const builders = trueOrFalse.safeParse(query.get('console') ?? 'false');
    if (!builders.success) throw new NinefoldError('validation_invalid', { message: 'console is true or false.' });
    const app = await openApp(context, ref);
    // Writes the requests that this worker still buffers to the database, so that the response includes them.
    await context.traces.flushApp(ref);
    const filter = { code, builders: builders.data === 'true' };
    return json(await withMembers(app, caller, await readFailedRequests(app, filter, Math.min(asked.data, max))));
  },
});

/**
 * Adds the address of each member who called, with one query. A reader gets no addresses, because readers see no data
 * of members. The user ids may be invalid: the app's own code can write any id.
 */
export async function withMembers(app: App, caller: Caller, lines: readonly LogLine[]): Promise<ListedCall[]> {
  if (isReader(caller, app.record.ref)) return lines.map((line) => ({ ...line, member: null }));
  const ids = new Set(lines.flatMap(({ user_id }) => (user_id !== null && UUID.test(user_id) ? [user_id] : [])));
  const addresses = await userAddresses(app.database, [...ids]);
  return lines.map((line) => ({ ...line, member: addresses.get(line.user_id ?? '') ?? null }));
}

const trueOrFalse = z.enum(['true', 'false']);

const showTrace = adminCall({
  route: 'GET /apps/:ref/traces/:requestId',
  least: 'developer',
  summary: 'Returns the trace of one request.',
  returns: 'RequestTraceResponse',
  errors: ['call_unknown'],
  handle: async ({ context, ref, requestId }) => {
    if (!isRequestId(requestId)) throw new NinefoldError('call_unknown');
    const app = await openApp(context, ref);
    const trace = await context.traces.find(app, requestId);
    if (!trace) throw new NinefoldError('call_unknown');
    const { policies, usual } = await context.specify.behind(app, trace);
    const answer: RequestTraceResponse = {
      trace,
      policies,
      policies_as_of: new Date().toISOString(),
      usual: { p50_ms: usual?.p50_ms ?? null, p99_ms: usual?.p99_ms ?? null },
    };
    return json(answer);
  },
});

export const observedRequestCalls: readonly AdminCall[] = [showCalls, showTrace, showErrors];
