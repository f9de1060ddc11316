import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';
import { allErrors, type ErrorEntry } from '../../contract/errors.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import type { ErrorFigures, ErrorLine, ErrorsChapter, Rule, RulesChapter } from '../../contract/specification.ts';
import type { Machine, StatesChapter } from '../../contract/states.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { isTold } from './entities.ts';
import type { Facts } from './facts.ts';
import { byName, compareText } from './names.ts';
import { type Raise, raisesOf } from './plpgsql/raises.ts';
import { idOf } from './roles.ts';

/** How often an error was met: its code, and what it was of as far as the call could tell. */
export interface MetError extends ErrorFigures {
  name: string;
  /** A rule as schema.table.name, a function as name(types), or ''. */
  subject: string;
}

export interface ErrorsApp {
  settings: RestSettings & AuthSettings;
  /** What was met of late; none where it is not known. */
  met?: readonly MetError[];
}

/** Chapter 8: everything that can go wrong, and what then. `rules` is chapter 5, `states` chapter 4. */
export function errorsChapter(facts: Facts, rules: RulesChapter, states: StatesChapter, app: ErrorsApp): ErrorsChapter {
  const functions = facts.routines.filter((routine) => isTold(facts, routine.schema)).sort(byFunction);
  const lines: Unmet[] = [
    ...rules.rules.filter((rule) => rule.applies_to !== 'no row').map(ofRule),
    ...states.machines.flatMap(ofMachine),
    ...functions.flatMap(ofFunction),
    ...(['rest', 'auth', 'postgres', 'ninefold'] as const).flatMap((source) => ofSource(source, app.settings)),
  ];
  return {
    errors: withFigures(unique(lines), app.met ?? []),
    sources: [
      { kind: 'code', label: 'contract/errors: the codes of Ninefold, PostgREST, GoTrue and PostgreSQL' },
      { kind: 'catalogue', label: 'the rules of chapter 5; a comment on a constraint is its meaning' },
      { kind: 'catalogue', label: 'ninefold.machines: the transitions of chapter 4' },
      { kind: 'catalogue', label: 'RAISE and ASSERT in the app’s functions', sql: raisesSql },
      { kind: 'setting', label: 'settings that make an error possible' },
    ],
  };
}

const raisesSql = `select p.oid::regprocedure as function, p.prosrc as source from pg_proc p
join pg_language l on l.oid = p.prolang where l.lanname = 'plpgsql' and p.prosrc ~* '\\m(raise|assert)\\M' order by 1`;

/** An error, and the subjects under which calls count it. */
interface Unmet {
  line: ErrorLine;
  subjects: readonly string[];
}

const byFunction = (a: RoutineFact, b: RoutineFact): number => byName(a, b) || compareText(idOf(a), idOf(b));

const pageOf = (code: string): string => `/docs/errors/${encodeURIComponent(code)}`;

const memberOf = (entry: ErrorEntry | undefined): string =>
  entry?.member ?? 'The app did not accept this; its message says why.';

function ofRule(rule: Rule): Unmet {
  const entry = allErrors[rule.sqlstate];
  const pointing = rule.kind === 'reference' ? '; or a row that others point to was to go' : '';
  return {
    line: {
      id: `rule.${rule.id}`,
      group: 'rule',
      code: rule.sqlstate,
      status: statusOfSqlstate(rule.sqlstate),
      message: null,
      hint: rule.commented ? rule.words : null,
      meaning: `${upper(rule.words.replace(/\.$/, ''))}${pointing}.`,
      action: entry?.action ?? 'Correct the values that the rule is about.',
      member: rule.commented ? upper(rule.words) : memberOf(entry),
      origin: rule.id,
      limit: null,
      sql: rule.sql,
      caveat: null,
      page: pageOf(rule.sqlstate),
    },
    subjects: subjectsOf(rule),
  };
}

/** As calls name it: by the constraint, or by the field that was left empty. */
function subjectsOf({ entity, name, kind, fields }: Rule): string[] {
  const table = unquoted(entity);
  return kind === 'required' ? fields.map((field) => `${table}.${field}`) : [`${table}.${name}`];
}

/** `public."Order lines"` as calls name it: public.Order lines. */
const unquoted = (id: string): string =>
  id.replace(/"((?:[^"]|"")*)"/g, (_, name: string) => name.replaceAll('""', '"'));

const upper = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

/** The errors of a state machine: each has them for itself, so that a count says which one. */
function ofMachine(machine: Machine): Unmet[] {
  const { id, initial, transitions } = machine;
  const ways = transitions.map(({ name, from, to }) => `${name} (${from?.join(', ') ?? 'any'} to ${to})`).join('; ');
  const needed = transitions.filter(({ requires }) => requires.length > 0);
  const needs = needed.map(({ name, requires }) => `${name} needs ${requires.join(', ')}`).join('; ');
  const broken = machine.problems.filter((problem) => problem.includes('is broken'));
  const meanings: [string, string][] = [
    ['NF001', `${id} passes only by a transition that is open to the caller: ${ways || 'there is none'}.`],
    ['NF002', `A new row starts with ${id} ${initial}.`],
    ...(needed.length === 0 ? [] : [['NF003', `A transition of ${id} needs a value: ${needs}.`] as [string, string]]),
    ...(broken.length === 0
      ? []
      : [['NF005', `The state machine of ${id} is broken: ${broken.join('; ')}.`] as [string, string]]),
  ];
  return meanings.map(([code, meaning]) => {
    const entry = allErrors[code];
    return {
      line: {
        ...{
          id: `transition.${id}.${code}`,
          group: 'transition',
          code,
          status: statusOfSqlstate(code),
          message: null,
          hint: null,
        },
        ...{ meaning, action: entry?.action ?? 'Read the row again.', member: memberOf(entry), origin: id },
        ...{ limit: null, sql: null, caveat: null, page: pageOf(code) },
      },
      subjects: [unquoted(id)],
    };
  });
}

function ofFunction(routine: RoutineFact): Unmet[] {
  if (routine.language === 'sql' || routine.language === 'internal' || routine.language === 'c') return [];
  if (routine.language !== 'plpgsql') return [unread(routine)];
  return raisesOf(routine.source).map((raise) => ofRaise(routine, raise));
}

function unread(routine: RoutineFact): Unmet {
  const id = idOf(routine);
  return {
    line: {
      ...{ id: `function.${id}`, group: 'function', code: null, status: null, message: null, hint: null },
      meaning: `What ${id} raises cannot be told: it is written in ${routine.language}.`,
      action: 'Act on the message.',
      ...{ member: memberOf(undefined), origin: id, limit: null, sql: null, caveat: null, page: '/docs/errors' },
    },
    subjects: [],
  };
}

function ofRaise(routine: RoutineFact, raise: Raise): Unmet {
  const id = idOf(routine);
  const { code, status, message, hint } = answerOf(raise);
  const entry = code !== null && code !== 'P0001' ? allErrors[code] : undefined;
  const caveats = [
    ...(raise.mayBeCaught ? ['may be caught within the function'] : []),
    ...(code === null && !raise.isAgain ? ['its code is computed while the function runs'] : []),
    ...(message === null && !raise.isAgain ? ['its message is computed while the function runs'] : []),
  ];
  const where = /^(event_)?trigger$/.test(routine.result) ? `the trigger function ${id}` : id;
  return {
    line: {
      id: `function.${id}.${code ?? (raise.isAgain ? 'again' : 'computed')}${message === null ? '' : `.${message}`}`,
      ...{ group: 'function', code, status, message, hint },
      meaning: raise.isAgain
        ? `${upper(where)} raises again what it caught.`
        : message === null
          ? `Raised by ${where}.`
          : `${upper(message)}${/[.!?]$/.test(message) ? '' : '.'}`,
      action: raise.hint ?? entry?.action ?? 'Act on the message.',
      member: message !== null && !message.includes('%') ? upper(message) : memberOf(entry),
      ...{ origin: id, limit: null, sql: raise.sql },
      caveat: caveats.length === 0 ? null : caveats.join('; '),
      page: code === null ? '/docs/errors' : pageOf(code),
    },
    subjects: [id, id.slice(routine.schema.length + 1)],
  };
}

interface Answer {
  code: string | null;
  status: number | null;
  message: string | null;
  hint: string | null;
}

/** What a client gets of a RAISE. With SQLSTATE PGRST the message and the detail hold the whole answer (PostgREST, "RAISE errors"). */
function answerOf({ sqlstate, message, detail, hint }: Raise): Answer {
  if (sqlstate !== 'PGRST') {
    return {
      code: sqlstate,
      status: sqlstate === null ? null : statusOfSqlstate(sqlstate, message ?? ''),
      message,
      hint,
    };
  }
  const body = object(message);
  const status = object(detail)?.status;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    code: text(body?.code),
    status: typeof status === 'number' ? status : null,
    message: text(body?.message),
    hint: text(body?.hint),
  };
}

function object(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function ofSource(source: ErrorEntry['source'], settings: RestSettings & AuthSettings): Unmet[] {
  return Object.entries(allErrors).flatMap(([code, entry]) => {
    if (entry.source !== source || entry.member === null || !isPossible(entry, settings) || ofMachines.test(code))
      return [];
    const { status, message, meaning, action, member, limit } = entry;
    const line: ErrorLine = {
      ...{ id: `code.${code}`, group: source, code, status, message, hint: null, meaning, action, member },
      ...{ origin: null, limit: limit ?? null, sql: null, caveat: null, page: pageOf(code) },
    };
    return [{ line, subjects: [] }];
  });
}

/** They are there with each machine, and without one nobody can get them. */
const ofMachines = /^NF00\d$/;

const isPossible = (entry: ErrorEntry, settings: RestSettings & AuthSettings): boolean =>
  Object.entries(entry.while ?? {}).every(([key, value]) => settings[key as keyof typeof settings] === value);

/** A function may raise the same in several places: they are one error. */
function unique(lines: readonly Unmet[]): Unmet[] {
  const byId = new Map<string, Unmet>();
  for (const one of lines) {
    const known = byId.get(one.line.id);
    // It reaches the caller from one of the places where nothing catches it.
    if (!known || (known.line.caveat !== null && one.line.caveat === null)) byId.set(one.line.id, one);
  }
  return [...byId.values()];
}

/** Each count goes to the error that it names, and to the code alone where it names none. */
function withFigures(lines: readonly Unmet[], met: readonly MetError[]): ErrorLine[] {
  const left = new Map<string, MetError>(met.map((one) => [`${one.name} ${one.subject}`, one]));
  const takenBySubject = lines.map(({ line, subjects }) => {
    for (const subject of subjects) {
      const found = left.get(`${line.code} ${subject}`);
      if (found) return found;
    }
    return null;
  });
  for (const taken of takenBySubject) if (taken) left.delete(`${taken.name} ${taken.subject}`);
  const byCode = new Map<string, MetError[]>();
  for (const one of left.values()) byCode.set(one.name, [...(byCode.get(one.name) ?? []), one]);
  return lines.map(({ line }, i) => {
    const own = takenBySubject[i];
    const found = own ? [own] : line.id.startsWith('code.') ? (byCode.get(line.code ?? '') ?? []) : [];
    return found.length === 0 ? line : { ...line, figures: summed(found) };
  });
}

function summed(met: readonly MetError[]): ErrorFigures {
  const newest = [...met].sort((a, b) => compareText(b.last_at, a.last_at));
  const sum = (of: (one: MetError) => number) => met.reduce((total, one) => total + of(one), 0);
  return {
    hour: sum((one) => one.hour),
    day: sum((one) => one.day),
    week: sum((one) => one.week),
    hours: (met[0]?.hours ?? []).map((_, i) => sum((one) => one.hours[i] ?? 0)),
    last_at: newest[0]?.last_at ?? '',
    last_requests: newest.flatMap((one) => one.last_requests).slice(0, newest[0]?.last_requests.length),
  };
}
