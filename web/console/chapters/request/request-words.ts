import type { CallStep, RequestTrace } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import type { PolicyEntry } from '../../../../contract/specification-roles.ts';
import { dayOf, milliseconds, shortId, timeOfDay } from '../../format/format.ts';

/** The part of the server that does the work of a step, or `ended` for the end of the request. */
export type StepKind = 'server' | 'database' | 'ended';

/** A row of the table of steps: a step, or a policy within a step. */
export interface StepLine {
  key: string;
  name: string;
  /** Null for a part of the previous step that PostgreSQL does not measure separately. */
  time: { from: number; took: number } | null;
  kind: StepKind;
  found: string;
}

/** Returns the steps of a request in their order. The policies that applied are within the step that ran them. */
export function stepLines(trace: RequestTrace, policies: readonly PolicyEntry[]): StepLine[] {
  const { steps, code } = trace;
  // A request always ends with the step Respond. If the request failed, the step before it is the one that ended it.
  const last = steps.findLastIndex(({ name }) => name !== 'Respond');
  return steps.flatMap((step, place): StepLine[] => {
    const { name, from, took, found } = step;
    const line: StepLine = { key: `${place}`, name, time: { from, took }, kind: kindOf(step), found };
    if (code !== null && place === last) Object.assign(line, { kind: 'ended', found: endWords(trace) });
    if (name !== 'Execute') return [line];
    return [
      line,
      ...policies.map(
        (policy): StepLine => ({
          key: `${policy.entity} ${policy.name}`,
          name: `policy: ${policy.name}`,
          time: null,
          kind: 'database',
          found: policy.words,
        }),
      ),
    ];
  });
}

/** Describes the end of a request: "raises 23514 of tickets.title_length". */
const endWords = ({ code, subject, limit }: RequestTrace): string =>
  [
    `raises ${code}`,
    subject === null ? null : `of ${shortId(subject)}`,
    limit === null ? null : `at the limit ${limit}`,
  ]
    .filter((part) => part !== null)
    .join(' ');

const kindOf = ({ name }: CallStep): StepKind => (name === 'Execute' ? 'database' : 'server');

/** Returns the marks of a scale from 0 to at least `end`: about four marks, at 1, 2 or 5 times a power of ten. */
export function scaleMarks(end: number): number[] {
  if (!(end > 0)) return [0];
  const rough = end / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const marks = [];
  for (let at = 0; at <= end * 1.0001; at += step) marks.push(Number(at.toPrecision(6)));
  return marks;
}

/** Formats the time of a step in milliseconds: with two decimal places below 100, otherwise without. */
export const stepTime = (value: number): string => (value < 99.995 ? value.toFixed(2) : Math.round(value).toString());

/** Returns the title of the page: "What happened at 13:58:41?". For another day, includes the date. */
export const questionOf = ({ at }: Pick<RequestTrace, 'at'>, now: Date): string => {
  const today = dayOf(now.toISOString()) === dayOf(at);
  return `What happened ${today ? '' : `on ${dayOf(at)} `}at ${timeOfDay(at)}?`;
};

/** Returns the requested address below the app: /rest/v1/tickets?id=eq.… */
export const addressOf = ({ area, path, query }: Pick<RequestTrace, 'area' | 'path' | 'query'>): string =>
  `/${area}/v1${path === '/' ? '' : path}${query === '' ? '' : `?${query}`}`;

const sources: Readonly<Record<string, string>> = {
  none: 'none',
  'publishable-key': 'publishable key',
  'secret-key': 'secret key',
  token: 'access token',
  'external-token': 'access token of another issuer',
  builder: 'a builder, from the console',
};

/** Describes how the caller authenticated. */
export const sourceWords = (source: string | null): string =>
  source === null ? 'not known' : (sources[source] ?? source);

/** Describes the row of a refused transition: "id 17", "order 4, line 2". */
export const keyWords = (key: Readonly<Record<string, string>>): string =>
  Object.entries(key)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ');

/** Returns the complete trace as plain text, for a ticket or a chat. */
export function requestText(trace: RequestTrace, line: ErrorLine | undefined): string {
  const width = Math.max(...trace.steps.map(({ name }) => name.length), 0);
  return [
    `Request ${trace.request_id}, ${trace.at}`,
    `${trace.method} ${addressOf(trace)}`,
    `response ${trace.status}${trace.code === null ? '' : ` ${trace.code}`} after ${milliseconds(trace.milliseconds)}`,
    ...(line ? [`Meaning: ${line.meaning}`, `What to do: ${line.action}`] : []),
    ...(trace.subject === null ? [] : [`Of: ${trace.subject}`]),
    ...(trace.refused
      ? [
          `Refused: ${trace.refused.message}`,
          `Row: ${trace.refused.key ? `${keyWords(trace.refused.key)} of ` : ''}${trace.refused.entity}`,
        ]
      : []),
    ...(trace.limit === null ? [] : [`Limit: ${trace.limit}`]),
    `Role ${trace.who.role ?? 'not known'}, user ${trace.who.user_id ?? 'none'}, by ${sourceWords(trace.who.source)}, from ${trace.who.address}`,
    '',
    ...trace.steps.map(({ name, from, took, found }) =>
      `${stepTime(from).padStart(8)} ${stepTime(took).padStart(8)}  ${name.padEnd(width)}  ${found}`.trimEnd(),
    ),
    ...(trace.sql === null ? [] : ['', trace.sql.text + (trace.sql.truncated ? ' …' : '')]),
  ].join('\n');
}
