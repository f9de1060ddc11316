import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { type LogCaller, type LogResponse, type LogSummary, logCallers } from '../../../contract/observed.ts';
import { listUsers } from '../../accounts/users/list-users.ts';
import type { App } from '../../apps/app.ts';
import {
  type LogFilter,
  type LogPlace,
  readLogLines,
  readLogSummary,
  shownCallers,
} from '../../apps/log/read-request-log.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall, type Query } from '../call.ts';
import type { Caller } from '../context.ts';
import { isReader } from '../least-role.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';
import { withMembers } from './observed-requests.ts';

/** The longest value of a filter of the log, and the number of paths that a request may exclude. */
const FILTER_CHARACTERS = 500;
const FILTERS = 100;

/** Period of a summary without `from`, in milliseconds. */
const DEFAULT_PERIOD = 3_600_000;
/** Maximum number of members that the search of the log finds by their addresses. */
const SEARCHED_MEMBERS = 20;

const named = z
  .string()
  .regex(/^[^\0]*$/)
  .max(FILTER_CHARACTERS)
  .optional();
const time = z.iso.datetime({ offset: true }).optional();
const logQuery = z.object({
  ...{ from: time, to: time, path: named, code: named, call: named, user: named, request: named, search: named },
  status: z
    .string()
    .regex(/^[1-5](,[1-5])*$/)
    .optional(),
  caller: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(logCallers)))
    .optional(),
  console: z.enum(['true', 'false']).optional(),
  slower: z.coerce.number().nonnegative().optional(),
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_\d{1,18}$/)
    .optional(),
  limit: z.coerce.number().int().positive().optional(),
});

const logParameters = [...logQuery.keyof().options, 'without'] as const;
type Parameters = Query<(typeof logParameters)[number]>;

const showLogs = adminCall({
  route: 'GET /apps/:ref/logs',
  least: 'reader',
  summary:
    'Returns the requests of the log that match the filter, newest first. `status` is a list of first digits, `caller` a list of kinds of callers, `console=true` adds the requests of builders to the kinds of callers that are shown by default. The parameter `without` can occur several times.',
  returns: 'LogResponse',
  query: logParameters,
  handle: async ({ context, caller, ref, query }) => {
    const asked = readLogQuery(query);
    const max = limits.logLines.default;
    const app = await openApp(context, ref);
    const [filter] = await Promise.all([filterOf(app, caller, asked), context.traces.log.collect(app)]);
    const { lines, truncated, last } = await readLogLines(
      app,
      filter,
      asked.before === undefined ? null : placeOf(asked.before),
      Math.min(asked.limit ?? max, max),
    );
    const { rest } = await app.settings();
    const { logs_days, logs_requests, logs_traces, logs_slow_milliseconds } = rest;
    const answer: LogResponse = {
      calls: await withMembers(app, caller, lines),
      truncated,
      before: last && `${last.at}_${last.id}`,
      kept: {
        ...{ days: logs_days, requests: logs_requests, traces: logs_traces },
        slow_milliseconds: logs_slow_milliseconds,
      },
    };
    return json(answer);
  },
});

const summarizeLogs = adminCall({
  route: 'GET /apps/:ref/logs/summary',
  least: 'reader',
  summary:
    'Counts the matching requests over time and by status, caller and path. Without `from`, the period is the last hour.',
  returns: 'LogSummary',
  query: logParameters,
  handle: async ({ context, caller, ref, query }) => {
    const asked = readLogQuery(query);
    const app = await openApp(context, ref);
    const filter = await filterOf(app, caller, asked);
    const to = filter.to ?? new Date().toISOString();
    const from = filter.from ?? new Date(Date.parse(to) - DEFAULT_PERIOD).toISOString();
    if (Date.parse(from) >= Date.parse(to)) throw invalid('from is before to.');
    await context.traces.log.flushApp(ref);
    const answer: LogSummary = await readLogSummary(app, { ...filter, from, to });
    return json(answer);
  },
});

type LogQuery = z.infer<typeof logQuery> & { readonly without: readonly string[] };

function readLogQuery(query: Parameters): LogQuery {
  const asked = logQuery.safeParse(Object.fromEntries(query));
  const without = z.array(named.unwrap()).max(FILTERS).safeParse(query.getAll('without'));
  if (!asked.success || !without.success) {
    throw invalid(
      `from and to are times in ISO 8601; status is a list of digits from 1 to 5; caller is a list of ${logCallers.join(', ')}; console is true or false; slower is in milliseconds; limit is a whole number from 1; before is from a response; path, without, code, call, user, request and search are texts without a NUL.`,
    );
  }
  return { ...asked.data, without: without.data };
}

const invalid = (message: string) => new NinefoldError('validation_invalid', { message });

async function filterOf(app: App, caller: Caller, asked: LogQuery): Promise<LogFilter> {
  const callers: readonly LogCaller[] = asked.caller ?? shownCallers(asked.console === 'true');
  return {
    ...{ from: asked.from ?? null, to: asked.to ?? null },
    statuses: asked.status?.split(',').map(Number) ?? null,
    callers,
    ...{ path: asked.path ?? null, withoutPaths: asked.without },
    ...{ code: asked.code ?? null, call: asked.call ?? null },
    ...{ userId: asked.user ?? null, requestId: asked.request ?? null, slower: asked.slower ?? null },
    search: asked.search ?? null,
    searchedUsers: asked.search === undefined ? [] : await searchedUsers(app, caller, asked.search),
  };
}

/** Returns the members whose address contains the text. A reader gets none, because readers see no data of members. */
async function searchedUsers(app: App, caller: Caller, text: string): Promise<string[]> {
  if (text === '' || isReader(caller, app.record.ref)) return [];
  const { usersJson } = await listUsers(app.database, { filter: text, page: 1, perPage: SEARCHED_MEMBERS });
  return (JSON.parse(usersJson) as { id: string }[]).map(({ id }) => id);
}

const placeOf = (before: string): LogPlace => {
  const [at = '', id = ''] = before.split('_');
  return { at, id };
};

export const logCalls: readonly AdminCall[] = [showLogs, summarizeLogs];
