import { bodyErrors } from './errors/bodies.ts';
import { functionsReached } from './reached-functions.ts';
import type { Chapters, ErrorLine } from './specification.ts';
import type { CallEntry } from './specification-calls.ts';
import type { Entity } from './specification-entities.ts';
import { firesOn, type Write, writtenEntities } from './written-entities.ts';

/** The kinds of calls that differ in their errors. */
type Kind = 'read' | 'insert' | 'update' | 'delete' | 'function' | 'auth';

const rowKinds: Readonly<Partial<Record<CallEntry['method'], Kind>>> = {
  GET: 'read',
  POST: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
};

const kindOf = ({ area, method }: CallEntry): Kind =>
  area === 'auth' ? 'auth' : area === 'rpc' ? 'function' : (rowKinds[method] ?? 'read');

const isWrite = (kind: Kind): kind is Write => kind === 'insert' || kind === 'update' || kind === 'delete';

const writes: readonly Kind[] = ['insert', 'update', 'delete', 'function'];
const rows: readonly Kind[] = ['read', 'insert', 'update', 'delete'];
const data: readonly Kind[] = [...rows, 'function'];
const bodies: readonly Kind[] = ['insert', 'update', 'function'];
const every: readonly Kind[] = [...data, 'auth'];

/** Codes of the protocols and of Ninefold, and the kinds of call that can be answered with them. */
const protocols: readonly (readonly [kinds: readonly Kind[], codes: readonly string[]])[] = [
  [
    every,
    [
      'internal',
      'bad_request',
      'headers_too_large',
      'request_timeout',
      'expectation_failed',
      'body_too_large',
      'script_refused',
    ],
  ],
  [every, ['method_not_allowed', 'too_many_requests', 'key_unknown', 'session_revoked', 'role_reserved']],
  [every, ['database_unavailable', 'database_busy', 'disk_full', 'app_outdated', 'app_damaged', 'app_limit_exceeded']],
  [bodies, ['app_storage_full']],
  [data, ['result_too_large']],
  [[...bodies, 'auth'], ['too_many_bodies']],
  [data, ['PGRST000', 'PGRST002', 'PGRST003', 'PGRST106', 'PGRST107', 'PGRST122', 'PGRST127', 'PGRST300', 'PGRST301']],
  [data, ['PGRST302', 'PGRST303', 'PGRST100', 'PGRST103', 'PGRST108', 'PGRST111', 'PGRST112', 'PGRST116', 'PGRST118']],
  [data, ['PGRST121', 'PGRST123', 'PGRST200', 'PGRST201']],
  [rows, ['PGRST205']],
  [bodies, ['PGRST102', '22P05', 'anonymous_body_too_large', 'body_too_complex']],
  [['insert', 'update'], ['PGRST204']],
  [['insert'], ['PGRST105', 'PGRST114', 'PGRST115']],
  [['update', 'delete', 'function'], ['PGRST124']],
  [['function'], ['PGRST101', 'PGRST128', 'PGRST202', 'PGRST203']],
  // Any call may come to code of the app: a function, a trigger, a policy, a computed field.
  [data, ['P0001', 'P0002', 'P0003', 'P0004', '20000', '2F005']],
  [['insert', 'function'], ['2200H']],
  [
    data,
    [
      '21000',
      '22000',
      '22003',
      '22007',
      '22008',
      '22023',
      '22P02',
      '42501',
      '42703',
      '42883',
      '42P01',
      '42P17',
      '53200',
      '53300',
      '53400',
      '54000',
    ],
  ],
  [data, ['57014', '42804', '55P03', '22012', '55000', '0A000']],
  // Functions, views and policies of the app, whatever calls them.
  [
    data,
    [
      '22004',
      '22011',
      '22021',
      '22030',
      '2201E',
      '2201F',
      '2201G',
      '2203A',
      '2D000',
      '42702',
      '42809',
      '42846',
      '42P16',
    ],
  ],
  [data, ['54011', ...Object.keys(bodyErrors)]],
  [['insert'], ['42P10']],
  // Values that cannot be read as their type, in filters, arguments and bodies.
  [data, ['22009', '22015', '2200N', '2201B', '22025', '3F000', '42601', '42602', '42704', '54001']],
  [['insert', 'update', 'function'], ['428C9']],
  [writes, ['40001', '40P01', '23001', '23502', '23503', '23505', '23514', '23P01']],
  [bodies, ['22001']],
];

/** Codes that every call of /auth/v1 can answer; calls that need a session also refuse its token. */
const authCommon = [
  'bad_json',
  'validation_failed',
  'over_request_rate_limit',
  'request_entity_too_large',
  'database_refused',
];
const authSession = ['no_authorization', 'bad_jwt', 'session_not_found', 'user_not_found', 'user_banned'];
const account = ['weak_password', 'email_exists', 'phone_exists'];

/** The codes of GoTrue by the id of the call, besides those that all have. */
const authCodes: Readonly<Record<string, readonly string[]>> = {
  'auth.signup': [
    'signup_disabled',
    'email_provider_disabled',
    'phone_provider_disabled',
    'user_already_exists',
    'weak_password',
  ],
  'auth.signup.anonymous': ['signup_disabled', 'anonymous_provider_disabled'],
  'auth.token.password': [
    'invalid_credentials',
    'email_not_confirmed',
    'user_banned',
    'email_provider_disabled',
    'phone_provider_disabled',
  ],
  'auth.token.refresh_token': [
    'refresh_token_not_found',
    'refresh_token_already_used',
    'session_expired',
    'session_not_found',
    'user_banned',
  ],
  'auth.user': authSession,
  'auth.user.update': [...authSession, ...account, 'same_password', 'user_sso_managed'],
  'auth.logout': authSession,
  'auth.admin.users.list': ['no_authorization', 'bad_jwt', 'not_admin'],
  'auth.admin.users.create': ['no_authorization', 'bad_jwt', 'not_admin', ...account],
  'auth.admin.users.get': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],
  'auth.admin.users.update': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found', ...account],
  'auth.admin.users.delete': ['no_authorization', 'bad_jwt', 'not_admin', 'user_not_found'],
};

/** The errors of chapter 8 that a call can be answered with. */
export interface CallErrors {
  /** Those of the app: rules, transitions, and what functions raise. */
  own: ErrorLine[];
  /** Those of the protocols, PostgreSQL and Ninefold. */
  common: ErrorLine[];
}

/** The code of a call that writes in a read-only transaction. */
const WRITES = '25006';

/**
 * Returns the errors that a call can give, in the order of chapter 8. A write through a view can also give the errors of its base tables.
 * Functions count if the call, triggers, policies, rules, defaults or computed fields name them, and functions that these name. Writes
 * within functions, and SQL that they build at run time, do not count. Pure.
 */
export function errorsOfCall(call: CallEntry, chapters: Chapters): CallErrors {
  const kind = kindOf(call);
  const entities = chapters.entities?.entities ?? [];
  const entity = entities.find(({ id }) => call.area === 'rest' && id === call.entity);
  const written = entity && isWrite(kind) ? writtenEntities(entity, kind, entities) : [];
  const origins = new Set(
    written.flatMap((one) => [...rulesBrokenBy(kind, one, chapters), ...machinesOf(kind, one, chapters)]),
  );
  const triggers = written
    .flatMap((one) => one.triggers)
    .filter(({ enabled, sql }) => enabled && isWrite(kind) && firesOn(sql, kind));
  const functions = chapters.calls?.functions ?? [];
  const first =
    call.area === 'rpc'
      ? [call.entity ?? '']
      : [
          ...functions.map(({ id }) => id).filter((id) => triggers.some(({ sql }) => runs(sql, id))),
          ...(entity?.computed ?? []).map((one) => one.function),
        ];
  const codes = entity ? codeOf(kind, entity, written, chapters) : [];
  const reached = functionsReached(functions, first, codes);
  const onlyReads = kind === 'read' || call.reads_only === true;
  const common = new Set([
    ...(onlyReads ? [WRITES] : []),
    ...protocols.filter(([kinds]) => kinds.includes(kind)).flatMap(([, listed]) => listed),
    ...(kind === 'auth' ? [...authCommon, ...(authCodes[call.id] ?? [])] : []),
  ]);
  const lines = chapters.errors?.errors ?? [];
  return {
    own: lines.filter(
      ({ group, origin }) => origin !== null && (group === 'function' ? reached.has(origin) : origins.has(origin)),
    ),
    common: lines.filter(({ origin, code }) => origin === null && code !== null && common.has(code)),
  };
}

/** Code that PostgreSQL runs with a call on rows: queries of views, policies, checks, defaults. */
function codeOf(kind: Kind, entity: Entity, written: readonly Entity[], { roles, rules }: Chapters): string[] {
  const asked = [entity, ...written.filter((one) => one !== entity)];
  const fills = kind === 'insert' || kind === 'update';
  const policies = (roles?.policies ?? []).filter(
    ({ entity: on, command }) =>
      asked.some(({ id }) => id === on) && (command === 'all' || command === 'select' || command === kind),
  );
  return [
    ...asked.flatMap(({ definition }) => definition ?? []),
    ...policies.map(({ sql }) => sql),
    ...asked.flatMap(({ id, fields }) =>
      fills
        ? [
            ...fields.flatMap((field) => field.default ?? []),
            ...(rules?.rules ?? []).filter((rule) => rule.entity === id).map(({ sql }) => sql),
          ]
        : [],
    ),
  ];
}

/** Ids of rules: a row that comes or changes can break its own, one that goes those that point to it. */
function rulesBrokenBy(kind: Kind, entity: Entity, { rules, entities }: Chapters): string[] {
  const all = rules?.rules ?? [];
  if (kind === 'insert' || kind === 'update')
    return all.filter((rule) => rule.entity === entity.id).map(({ id }) => id);
  if (kind !== 'delete') return [];
  const pointing = (entities?.relations ?? []).filter(
    ({ to, on_delete }) =>
      to.schema === entity.schema &&
      to.entity === entity.name &&
      (on_delete === 'no action' || on_delete === 'restrict'),
  );
  return pointing
    .flatMap(({ name, from }) => {
      const source = entities?.entities.find((one) => one.schema === from.schema && one.name === from.entity);
      return all.filter((rule) => rule.kind === 'reference' && rule.entity === source?.id && rule.name === name);
    })
    .map(({ id }) => id);
}

/** Ids of state machines that a write passes. */
const machinesOf = (kind: Kind, entity: Entity, { states }: Chapters): string[] =>
  kind === 'insert' || kind === 'update'
    ? (states?.machines ?? []).filter((machine) => machine.entity === entity.id).map(({ id }) => id)
    : [];

/** Returns true if a trigger runs the function with an id such as public.refuse(). */
const runs = (trigger: string, id: string): boolean =>
  trigger.includes(` FUNCTION ${id.slice(0, id.lastIndexOf('('))}(`);
