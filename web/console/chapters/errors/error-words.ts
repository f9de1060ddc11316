import type { LogLine, StatisticsWindow } from '../../../../contract/observed.ts';
import type { ErrorGroup, ErrorLine } from '../../../../contract/specification.ts';

/** The headings of the errors, in their order. */
export const errorGroups: Readonly<Record<ErrorGroup, string>> = {
  rule: 'Rules of the app',
  transition: 'Transitions',
  function: 'Functions',
  rest: 'Data calls',
  auth: 'Sign-in',
  storage: 'Files',
  realtime: 'Realtime',
  functions: 'Edge functions',
  postgres: 'Database',
  ninefold: 'Server',
};

/** The codes that a builder changes by access and sessions, although no sign-in call returns them. */
const accessCodes: ReadonlySet<string | null> = new Set(['42501', 'PGRST300', 'PGRST301', 'PGRST302', 'PGRST303']);

/** Returns the heading of an error: what decides that it occurs. */
export function decidedBy({ group, code }: Pick<ErrorLine, 'group' | 'code'>): string {
  if (group === 'rule' || group === 'transition' || group === 'function') return 'From your app';
  if (group === 'auth' || accessCodes.has(code)) return 'From access and sign-in';
  return group === 'ninefold' ? 'From the node' : 'From the request';
}

/** The headings of the errors: first those that a builder decides on. */
export const decisions = ['From your app', 'From access and sign-in', 'From the request', 'From the node'];

const protocols: Readonly<Partial<Record<ErrorGroup, string>>> = {
  rest: 'PostgREST',
  auth: 'GoTrue',
  postgres: 'PostgreSQL',
  ninefold: 'Ninefold',
};

/** Returns the last part of an id: public.tickets.title_length → title_length. A quoted name is one part. */
const lastPart = (id: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(id)?.[0] ?? id;

/** Returns the name of an error: rules by their name, because they share a code; all other errors by their code. */
export const errorName = ({ group, origin, code }: ErrorLine): string =>
  group === 'rule' && origin !== null ? lastPart(origin) : (code ?? 'computed');

/**
 * Returns the source of an error: the entity of a rule, the function that raises the error, or the protocol of the
 * code.
 */
export function errorFrom({ group, origin }: ErrorLine): string {
  if (origin === null) return protocols[group] ?? '';
  const name = origin.replace(/^public\./, '');
  return group === 'rule' ? name.slice(0, -(lastPart(origin).length + 1)) : name;
}

/** Returns the expected body of the error's response; "…" replaces the parts that the database or a function adds. */
export function replyOf({ group, code, status, message, hint }: ErrorLine): string {
  const body =
    group === 'auth'
      ? { code: status, error_code: code, msg: message }
      : { code, message: message ?? '…', ...(hint !== null && { hint }) };
  return JSON.stringify(body, null, 2);
}

/** Describes the parts of the response that are unknown before the error occurs. */
export function replyRemark({ group, code, message }: ErrorLine): string | undefined {
  if (code === null) return 'the function computes its code';
  if (message === null)
    return group === 'function' ? 'the function computes its message' : 'PostgreSQL writes the message';
  return undefined;
}

export const windowWords: Readonly<Record<StatisticsWindow, string>> = {
  hour: 'in the last hour',
  day: 'in 24 hours',
  week: 'in 7 days',
};

/** Returns how often an error occurred within a time window. */
export const times = ({ figures }: ErrorLine, window: StatisticsWindow): number => figures?.[window] ?? 0;

/**
 * Finds the error of chapter 8 for a failed request by its code. If several errors have the code, the subject of the
 * request (such as the broken rule) decides.
 */
export function errorOf(
  errors: readonly ErrorLine[],
  { code, subject }: Pick<LogLine, 'code' | 'subject'>,
): ErrorLine | undefined {
  if (code === null) return undefined;
  const same = errors.filter((line) => line.code === code);
  const bare = subject?.replaceAll('"', '');
  return (
    same.find(({ origin }) => origin !== null && bare !== undefined && origin.replaceAll('"', '') === bare) ??
    same.find(({ origin }) => origin === null) ??
    same[0]
  );
}
