import { otherStatusesOfSqlstate, statusOfSqlstate } from '../../../../../contract/errors/sqlstate-status.ts';
import { allErrors, type ErrorEntry } from '../../../../../contract/errors.ts';
import type { RestSettings } from '../../../../../contract/settings.ts';
import type { AuthSettings } from '../../../../../contract/settings-auth.ts';
import type { ErrorLine, ErrorsChapter, Rule, RulesChapter } from '../../../../../contract/specification.ts';
import type { RolesChapter } from '../../../../../contract/specification-roles.ts';
import type { Machine, StatesChapter } from '../../../../../contract/states.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { ConstraintFact } from '../../../../catalog/constraints.ts';
import type { MachineTriggerFact } from '../../../../catalog/machines.ts';
import { entityId, idOf } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';
import type { Raise } from '../../../../sql-reader/body/raises.ts';
import type { Entries, EntryLookup } from '../../entries.ts';
import { documentedRoutines } from '../documented.ts';
import { triggersByMachine } from '../states/states.ts';
import { FunctionReachability } from './function-reachability.ts';

/**
 * Builds chapter 8: the possible errors with their meaning and action. `rules` is chapter 5, `states` chapter 4,
 * `roles` chapter 6.
 * @param unused The protocols that the app does not use. The chapter leaves their errors out.
 */
export function errorsChapter(
  entries: Entries,
  rules: RulesChapter,
  states: StatesChapter,
  roles: RolesChapter,
  settings: RestSettings & AuthSettings,
  unused: readonly ErrorEntry['source'][],
): ErrorsChapter {
  const { look } = entries;
  const reachability = new FunctionReachability(look, roles.cells, settings);
  const triggers = triggersByMachine(look);
  const keys = foreignKeys(look);
  const lines: ErrorLine[] = [
    ...rules.rules
      .filter(({ applies_to }) => applies_to !== 'no row' && applies_to !== 'uploads')
      .flatMap((rule) => {
        const key = rule.kind === 'reference' ? keys.get(keyName(rule.entity, rule.name)) : undefined;
        return entries.of(ofRule, rule.id, rule, key);
      }),
    ...states.machines.flatMap((machine) => ofMachine(machine, triggers.get(machine.id) ?? [])),
    ...documentedRoutines(look.facts).flatMap((routine) => ofFunction(look, routine, reachability)),
    ...sources.filter((one) => !unused.includes(one)).flatMap((source) => ofSource(source, settings)),
  ];
  return {
    errors: unique(lines),
    sources: [
      {
        kind: 'code',
        label:
          'contract/errors: the codes of Ninefold, PostgREST, GoTrue, Supabase Storage, Supabase Realtime and PostgreSQL',
      },
      { kind: 'catalog', label: 'the rules of chapter 5; a comment on a constraint is its meaning' },
      { kind: 'catalog', label: 'ninefold.machines: the transitions of chapter 4' },
      { kind: 'catalog', label: 'RAISE and ASSERT in the app’s functions', sql: raisesSql },
      { kind: 'setting', label: 'settings that make an error possible' },
    ],
  };
}

const sources = [
  'rest',
  'auth',
  'storage',
  'realtime',
  'functions',
  'postgres',
  'ninefold',
] as const satisfies readonly ErrorEntry['source'][];

const raisesSql = `select p.oid::regprocedure as function, p.prosrc as source from pg_proc p
join pg_language l on l.oid = p.prolang where l.lanname = 'plpgsql' and p.prosrc ~* '\\m(raise|assert)\\M' order by 1`;

const pageOf = (code: string): string => `/docs/errors/${encodeURIComponent(code)}`;

const memberOf = (entry: ErrorEntry | undefined): string =>
  entry?.member ?? 'The app did not accept this; its message says why.';

/**
 * Returns the errors of a rule. A reference can be violated by the referencing row and by the referenced row. RESTRICT
 * has its own error since PostgreSQL 18.
 * @param key The foreign key of a rule that is a reference.
 */
function ofRule(_look: EntryLookup, rule: Rule, key: ConstraintFact | undefined): ErrorLine[] {
  const own = upper(rule.words.replace(/\.$/, ''));
  if (!key) return [lineOf(rule, rule.sqlstate, `${own}.`)];
  const side = key.on_delete === 'a' ? gone : key.on_update === 'a' ? rekeyed : null;
  const lines = [lineOf(rule, rule.sqlstate, `${own}${side === null ? '' : `; or ${side}`}.`)];
  const restricted = [key.on_delete === 'r' ? gone : '', key.on_update === 'r' ? rekeyed : ''].filter(Boolean);
  if (restricted.length > 0) lines.push(lineOf(rule, '23001', `${own}: ${restricted.join(', or ')}.`, '.restricted'));
  return lines;
}

const gone = 'the call deletes a row that other rows refer to';
const rekeyed = 'the call changes the key of a row that other rows refer to';

/**
 * Returns the foreign keys by their names in chapter 5. In chapter 5, the name of a foreign key that only a partition
 * has starts with the name of the partition.
 */
function foreignKeys({ facts, relations }: Lookup): Map<string, ConstraintFact> {
  const { constraints, partition_constraints: ofPartitions } = facts;
  const entityOf = (oid: number) => {
    const relation = relations.get(oid);
    return relation ? entityId(relation.schema, relation.name) : '';
  };
  const named = [
    ...constraints.map((key) => ({ key, name: key.name })),
    ...ofPartitions.map((key) => ({ key, name: `${key.partition}.${key.name}` })),
  ];
  return new Map(
    named.filter(({ key }) => key.kind === 'f').map(({ key, name }) => [keyName(entityOf(key.relation), name), key]),
  );
}

/** Joins the names with NUL, which no name contains. */
const keyName = (entity: string, name: string): string => `${entity}\0${name}`;

function lineOf(rule: Rule, code: string, meaning: string, suffix = ''): ErrorLine {
  const entry = allErrors[code];
  return {
    id: `rule.${rule.id}${suffix}`,
    group: 'rule',
    code,
    ...statusesOf(statusOfSqlstate(code)),
    message: null,
    hint: rule.comment,
    meaning,
    action: entry?.action ?? 'Correct the values that the rule is about.',
    member: rule.comment === null ? memberOf(entry) : upper(rule.comment),
    origin: rule.id,
    limit: null,
    sql: rule.sql,
    caveat: null,
    page: pageOf(code),
  };
}

/** Capitalizes the first letter of a sentence, but not of a name such as created_at. */
const upper = (words: string): string =>
  /^\w+_/.test(words) ? words : words.slice(0, 1).toUpperCase() + words.slice(1);

/**
 * Returns the errors of a state machine. Each machine has its own errors, so that occurrences are counted for each
 * machine.
 */
function ofMachine(machine: Machine, triggers: readonly MachineTriggerFact[]): ErrorLine[] {
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
      id: `transition.${id}.${code}`,
      ...{ group: 'transition', code, ...statusesOf(statusOfSqlstate(code)), message: null, hint: null },
      ...{ meaning, action: entry?.action ?? 'Read the row again.', member: memberOf(entry), origin: id },
      ...{ limit: null, sql: null, caveat: isSilent(code, triggers) ? silent : null, page: pageOf(code) },
    };
  });
}

const silent = 'not while the trigger that would raise it is switched off or missing';

/** The triggers of a machine that raise each code. */
const raisedBy: Readonly<Record<string, readonly MachineTriggerFact['does'][]>> = {
  NF001: ['set_fields', 'check_state_change'],
  NF002: ['check_start'],
  NF003: ['check_state_change'],
};

/**
 * Returns true if all triggers that could raise the code are disabled or missing. A trigger that was replaced counts as
 * able to raise the code.
 */
function isSilent(code: string, triggers: readonly MachineTriggerFact[]): boolean {
  const raising = triggers.filter(({ does }) => raisedBy[code]?.includes(does));
  return raising.length > 0 && raising.every(({ state }) => state === 'off' || state === 'missing');
}

function ofFunction({ shared }: Lookup, routine: RoutineFact, reachability: FunctionReachability): ErrorLine[] {
  if (routine.language === 'sql' || routine.language === 'internal' || routine.language === 'c') return [];
  if (routine.language !== 'plpgsql') return [unread(routine, reachability.unreachableReason(routine))];
  const raises = shared.code.ownRaises(routine).filter((raise) => !raise.isCaught);
  if (raises.length === 0) return [];
  const obstacle = reachability.unreachableReason(routine);
  return raises.map((raise) => ofRaise(routine, raise, obstacle));
}

function unread(routine: RoutineFact, obstacle: string | null): ErrorLine {
  const id = idOf(routine);
  return {
    ...{ id: `function.${id}`, group: 'function', code: null, status: null, statuses: [], message: null, hint: null },
    meaning: `The errors of ${id} are unknown, because the function is written in ${routine.language}.`,
    action: 'Act on the message.',
    ...{ member: memberOf(undefined), origin: id, limit: null, sql: null, caveat: obstacle, page: '/docs/errors' },
  };
}

function ofRaise(routine: RoutineFact, raise: Raise, obstacle: string | null): ErrorLine {
  const id = idOf(routine);
  const { code, status, message, hint } = answerOf(raise);
  const entry = code !== null && code !== 'P0001' ? allErrors[code] : undefined;
  const caveats = [
    ...(obstacle === null ? [] : [obstacle]),
    ...(code === null && !raise.isAgain ? ['its code is computed while the function runs'] : []),
    ...(message === null && !raise.isAgain ? ['its message is computed while the function runs'] : []),
  ];
  const where = /^(event_)?trigger$/.test(routine.result) ? `the trigger function ${id}` : id;
  return {
    id: `function.${id}.${code ?? (raise.isAgain ? 'again' : 'computed')}${message === null ? '' : `.${message}`}`,
    ...{
      group: 'function',
      code,
      ...statusesOf(status, code === null ? {} : otherStatusesOfSqlstate(code)),
      message,
      hint,
    },
    meaning: raise.isAgain
      ? `${upper(where)} raises again what it caught.`
      : message === null
        ? `Raised by ${where}.`
        : `${upper(message)}${/[.!?]$/.test(message) ? '' : '.'}`,
    action: hint ?? entry?.action ?? 'Act on the message.',
    member: message !== null && !message.includes('%') ? upper(message) : memberOf(entry),
    ...{ origin: id, limit: null, sql: raise.sql },
    caveat: caveats.length === 0 ? null : caveats.join('; '),
    page: code === null ? '/docs/errors' : pageOf(code),
  };
}

interface ErrorResponse {
  code: string | null;
  status: number | null;
  message: string | null;
  hint: string | null;
}

/**
 * Returns the response that a client receives for a RAISE. With SQLSTATE PGRST, the message and the detail contain the
 * whole response (PostgREST, "RAISE errors").
 */
function answerOf({ sqlstate, message, detail, hint }: Raise): ErrorResponse {
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

function ofSource(source: ErrorEntry['source'], settings: RestSettings & AuthSettings): ErrorLine[] {
  return Object.entries(allErrors).flatMap(([code, entry]) => {
    if (entry.source !== source || entry.member === null || !isPossible(entry, settings) || ofMachines.test(code))
      return [];
    const { status, message, meaning, action, member, limit } = entry;
    const otherStatuses = entry.otherStatuses ?? otherStatusesOfSqlstate(code);
    const others = Object.entries(otherStatuses).map(([other, when]) => `${other}: ${when.replace(/\.$/, '')}`);
    return [
      {
        ...{
          id: `code.${code}`,
          group: source,
          code,
          ...statusesOf(status, otherStatuses),
          message,
          hint: null,
          meaning,
          action,
          member,
        },
        ...{ origin: null, limit: limit ?? null, sql: null, page: pageOf(code) },
        caveat: others.length === 0 ? null : others.join('; '),
      },
    ];
  });
}

/** Returns the usual status with all other ones. */
const statusesOf = (
  status: number | null,
  others: Readonly<Record<number, string>> = {},
): Pick<ErrorLine, 'status' | 'statuses'> => ({
  status,
  statuses: [...(status === null ? [] : [status]), ...Object.keys(others).map(Number)],
});

/** Matches the codes of state machines, which `ofMachine` adds for each machine. */
const ofMachines = /^NF00\d$/;

const isPossible = (entry: ErrorEntry, settings: RestSettings & AuthSettings): boolean =>
  Object.entries(entry.while ?? {}).every(([key, value]) => settings[key as keyof typeof settings] === value) &&
  (entry.whileAny?.some((key) => settings[key] === true) ?? true);

/** Merges errors with the same id, because a function may raise the same error in several places. */
function unique(lines: readonly ErrorLine[]): ErrorLine[] {
  const byId = new Map<string, ErrorLine>();
  for (const line of lines) {
    const known = byId.get(line.id);
    // Prefers a line without a caveat, because it shows that the error can reach the caller.
    if (!known || (known.caveat !== null && line.caveat === null)) byId.set(line.id, line);
  }
  return [...byId.values()];
}
