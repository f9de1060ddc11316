import { type LimitName, limits } from '../../../contract/limits.ts';
import { type CallStep, type LoggedArea, loggedAreas, type RequestTrace } from '../../../contract/observed.ts';
import type { CallEvent, TraceRecorder } from '../../observe/events.ts';

/** Builds the trace of a request from its event. Traces are rarely read, so they are built on demand. */
export function toRequestTrace(event: CallEvent): RequestTrace {
  const { trace } = event;
  const max = limits.traceBytes.default;
  return {
    request_id: event.requestId,
    at: new Date(trace.at).toISOString(),
    area: loggedArea(event),
    call: event.call,
    method: event.method,
    path: event.path.slice(0, max),
    query: (event.source === 'builder' ? withoutSecrets(event.query) : maskedQuery(event.query)).slice(0, max),
    status: event.status,
    code: event.code,
    subject: event.subject,
    limit: event.limit,
    ...(trace.refused && { refused: trace.refused }),
    milliseconds: rounded(event.milliseconds),
    who: {
      role: event.role,
      user_id: event.userId,
      session_id: event.sessionId,
      source: event.source,
      address: event.address,
    },
    steps: stepsOf(event),
    sql:
      trace.sql === null
        ? null
        : { text: trace.sql.slice(0, max), parameters: trace.parameters, truncated: trace.sql.length > max },
    touched: trace.relations.map(({ schema, name }, i) => ({
      schema,
      name,
      operation: i === 0 ? (trace.operation ?? 'select') : 'select',
    })),
  };
}

/** Returns the API of a request; that of data calls for a page of members. */
export const loggedArea = ({ area }: CallEvent): LoggedArea => loggedAreas.find((one) => one === area) ?? 'rest';

/** Matches parameters whose values are only names of the schema and numbers. These values are not masked. */
const STRUCTURE = /(?:^|\.)(?:select|order|limit|offset|columns|on_conflict|grant_type|scope|page|per_page)$/;
/** Matches the operator of a filter, which is not masked. */
const OPERATOR =
  /^(?:not\.)?(?:eq|neq|gte?|lte?|like|ilike|match|imatch|in|is|isdistinct|fts|plfts|phfts|wfts|cs|cd|ov|sl|sr|nxr|nxl|adj)(?:\((?:any|all|[A-Za-z_]+)\))?\./;
/** Matches parameters that may contain credentials. Their values are always masked. */
const SECRET = /key|token|secret|password|code|state|hash/i;

const parts = (query: string, change: (name: string, value: string) => string): string =>
  query === ''
    ? ''
    : query
        .split('&')
        .map((part) => {
          const equals = part.indexOf('=');
          return equals < 0
            ? part
            : `${part.slice(0, equals)}=${change(part.slice(0, equals), part.slice(equals + 1))}`;
        })
        .join('&');

/** Returns the query with each value of the caller replaced by … */
export const maskedQuery = (query: string): string =>
  parts(query, (name, value) => {
    if (STRUCTURE.test(name) && !SECRET.test(name)) return value;
    return `${OPERATOR.exec(value)?.[0] ?? ''}…`;
  });

/** Returns the query without the values of credentials. */
export const withoutSecrets = (query: string): string =>
  parts(query, (name, value) => (SECRET.test(name) ? '…' : value));

/** Rounds milliseconds to microseconds. */
const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

const sources: Readonly<Record<string, string>> = {
  none: 'no token',
  'publishable-key': 'the publishable key',
  'secret-key': 'the secret key',
  'external-token': 'a third-party token',
  token: 'an access token',
  builder: 'a builder',
};

/** Returns the steps that the request reached, in chronological order. */
function stepsOf(event: CallEvent): CallStep[] {
  const { trace } = event;
  const marks: [keyof TraceRecorder & Mark, string, string][] = [
    ['limited', 'Check address limit', event.limit === 'requestsPerAddress' ? 'too many' : ''],
    ['received', 'Receive body', ''],
    ['opened', 'Resolve app', ''],
    ['identified', 'Authenticate', event.source === null ? '' : (sources[event.source] ?? '')],
    ['planned', 'Plan', event.call],
    [
      'built',
      'Build SQL',
      trace.sql === null
        ? ''
        : `1 statement, ${trace.parameters} ${trace.parameters === 1 ? 'parameter' : 'parameters'}`,
    ],
    ['ran', 'Execute', ''],
  ];
  const reached = marks.filter(([mark]) => trace[mark] > 0).sort(([a], [b]) => trace[a] - trace[b]);
  const steps: CallStep[] = [];
  let from = trace.started;
  const add = (name: string, until: number, found: string): void => {
    steps.push({ name, from: rounded(from - trace.started), took: rounded(until - from), found });
    from = until;
  };
  for (const [mark, name, found] of reached) {
    if (mark === 'ran') addRun(trace, trace.ran, add);
    else add(name, trace[mark], found);
  }
  if (trace.failed > 0 && trace.ran === 0) {
    // A request fails in the step after the last completed one.
    if (trace.built > 0) addRun(trace, trace.failed, add);
    else add(brokenStep(event), trace.failed, '');
  }
  add('Respond', trace.ended, `${event.status}${event.code === null ? '' : ` ${event.code}`}`);
  return steps;
}

/** Limits that apply while the body is received. */
const bodyLimits: ReadonlySet<LimitName> = new Set([
  'bodyBytes',
  'anonymousBodyBytes',
  'authBodyBytes',
  'heldBodyBytes',
]);

type Mark = 'limited' | 'received' | 'opened' | 'identified' | 'planned' | 'built' | 'ran';

/**
 * Adds the wait for a connection and the time in the database. The server measures both, because PostgreSQL returns no
 * timings.
 */
function addRun(trace: TraceRecorder, until: number, add: (name: string, until: number, found: string) => void): void {
  const inDatabase = Math.min(trace.databaseMilliseconds, until - trace.built);
  if (inDatabase > 0) add('Wait for connection', until - inDatabase, '');
  add('Execute', until, inDatabase > 0 ? '1 round trip' : '');
}

function brokenStep({ trace, area, limit }: CallEvent): string {
  if (trace.received === 0 && limit !== null && bodyLimits.has(limit)) return 'Receive body';
  if (trace.identified === 0) return 'Authenticate';
  return area === 'rest' && trace.planned === 0 ? 'Plan' : 'Handle request';
}
