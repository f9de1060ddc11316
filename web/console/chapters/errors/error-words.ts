import type { LogLine, StatisticsWindow } from '../../../../contract/observed.ts';
import type { ErrorGroup, ErrorLine } from '../../../../contract/specification.ts';

/** The headings of the errors, in the order in which they are told. */
export const errorGroups: Readonly<Record<ErrorGroup, string>> = {
  rule: 'Rules of the app',
  transition: 'Transitions',
  function: 'Functions',
  rest: 'Data calls',
  auth: 'Sign-in',
  postgres: 'Database',
  ninefold: 'Server',
};

const protocols: Readonly<Partial<Record<ErrorGroup, string>>> = {
  rest: 'PostgREST',
  auth: 'GoTrue',
  postgres: 'PostgreSQL',
  ninefold: 'Ninefold',
};

/** The last part of an id: public.tickets.title_length → title_length; a quoted name is one part. */
const lastPart = (id: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(id)?.[0] ?? id;

/** What an error is called: a rule by its name, which its code does not tell from others; all others by their code. */
export const errorName = ({ group, origin, code }: ErrorLine): string =>
  group === 'rule' && origin !== null ? lastPart(origin) : (code ?? 'computed');

/** Whose it is: the entity of a rule, the function that raises it, the protocol that has the code. */
export function errorFrom({ group, origin }: ErrorLine): string {
  if (origin === null) return protocols[group] ?? '';
  const name = origin.replace(/^public\./, '');
  return group === 'rule' ? name.slice(0, -(lastPart(origin).length + 1)) : name;
}

/** The body that a client gets, as far as it can be told before; … for what the database or a function puts in. */
export function replyOf({ group, code, status, message, hint }: ErrorLine): string {
  const body =
    group === 'auth'
      ? { code: status, error_code: code, msg: message }
      : { code, message: message ?? '…', ...(hint !== null && { hint }) };
  return JSON.stringify(body, null, 2);
}

/** What cannot be told of the reply before. */
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

/** How often an error was met within a window. */
export const times = ({ figures }: ErrorLine, window: StatisticsWindow): number => figures?.[window] ?? 0;

/** The error of chapter 8 that a call was answered with: by its code and, of several with one code, by what it is of. */
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
