import type { CallErrors } from '../../../../../contract/call-detail.ts';
import { authCalls, realtimeCalls, storageCalls } from '../../../../../contract/calls.ts';
import type { Chapters, ErrorLine } from '../../../../../contract/specification.ts';
import type { CallEntry, FunctionEntry, RaisedError } from '../../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { NamedFunctions } from '../../../../sql-reader/body/named-functions.ts';
import { type CallKind, protocolCodes } from './protocol-codes.ts';
import { firesOn, type Write, writtenEntities } from './written-entities.ts';

const rowKinds: Readonly<Partial<Record<CallEntry['method'], CallKind>>> = {
  GET: 'read',
  POST: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
};

const kindOf = ({ area, method }: CallEntry): CallKind =>
  area === 'auth' || area === 'storage' || area === 'realtime' || area === 'functions'
    ? area
    : area === 'rpc'
      ? 'function'
      : (rowKinds[method] ?? 'read');

/** The calls whose definitions name their errors. */
const defined = [...authCalls, ...storageCalls, ...realtimeCalls];

const isWrite = (kind: CallKind): kind is Write => kind === 'insert' || kind === 'update' || kind === 'delete';

/** The SQLSTATE of a write in a read-only transaction. */
const WRITES = '25006';

/** Finds the errors of chapter 8 that a call of chapter 7 can return. */
export class ErrorsOfCalls {
  readonly #chapters: Chapters;
  readonly #functions: NamedFunctions;
  readonly #byId: ReadonlyMap<string, FunctionEntry>;

  constructor(chapters: Chapters) {
    this.#chapters = chapters;
    const functions = chapters.calls?.functions ?? [];
    this.#functions = new NamedFunctions(functions);
    this.#byId = new Map(functions.map((entry) => [entry.id, entry]));
  }

  /**
   * Returns ids of the errors that a call can return, in the order of chapter 8. A write through a view can also return the
   * errors of the view's base tables. Errors that functions raise are included if the call, a trigger, a policy, a
   * rule, a default or a computed field names the function, or if such a function names it. Not included are errors of
   * writes within functions, and of SQL that functions build at run time.
   */
  of(call: CallEntry): CallErrors {
    const kind = kindOf(call);
    const entities = this.#chapters.entities?.entities ?? [];
    const entity = entities.find(({ id }) => call.area === 'rest' && id === call.entity);
    const written = entity && isWrite(kind) ? writtenEntities(entity, kind, entities) : [];
    const origins = new Set(
      written.flatMap((one) => [...rulesBrokenBy(kind, one, this.#chapters), ...machinesOf(kind, one, this.#chapters)]),
    );
    const codes = entity ? codeOf(kind, entity, written, this.#chapters) : [];
    const first = [
      ...this.#firstFunctions(call, kind, entity, written),
      ...codes.flatMap((code) => this.#functions.in(code)),
    ];
    const reached = new Set(first.flatMap((id) => [id, ...(this.#byId.get(id)?.reaches ?? [])]));
    const common = commonCodes(call, kind);
    const lines = this.#chapters.errors?.errors ?? [];
    const idsOf = (isPossible: (line: ErrorLine) => boolean) => lines.filter(isPossible).map(({ id }) => id);
    return {
      own: idsOf(
        (line) =>
          line.origin !== null &&
          (line.group === 'function'
            ? reached.has(line.origin) && first.some((id) => this.#mayReturn(id, line))
            : origins.has(line.origin)),
      ),
      common: idsOf(({ origin, code }) => origin === null && code !== null && common.has(code)),
    };
  }

  /** Returns false if no block of the function lets the error through, because a handler catches it. */
  #mayReturn(id: string, { code, message }: ErrorLine): boolean {
    const raises = this.#byId.get(id)?.raises;
    // With SQLSTATE PGRST, the function itself sets the code.
    const isOf = (raise: RaisedError) =>
      raise.sqlstate === 'PGRST' || (raise.sqlstate === code && raise.message === message);
    return code === null || raises === undefined || raises.some(isOf);
  }

  /**
   * Returns the ids of the functions that the call runs directly: the function of the call, or the functions of the
   * triggers and computed fields of its entities.
   */
  #firstFunctions(call: CallEntry, kind: CallKind, entity: Entity | undefined, written: readonly Entity[]): string[] {
    if (call.area === 'rpc') return [call.entity ?? ''];
    const triggers = written
      .flatMap((one) => one.triggers)
      .filter(({ enabled, sql }) => enabled && isWrite(kind) && firesOn(sql, kind));
    const functions = this.#chapters.calls?.functions ?? [];
    return [
      ...functions.map(({ id }) => id).filter((id) => triggers.some(({ sql }) => runs(sql, id))),
      ...(entity?.computed ?? []).map((one) => one.function),
    ];
  }
}

function commonCodes({ id, reads_only }: CallEntry, kind: CallKind): Set<string> {
  return new Set([
    ...(kind === 'read' || reads_only === true ? [WRITES] : []),
    ...protocolCodes.filter(([kinds]) => kinds.includes(kind)).flatMap(([, codes]) => codes),
    ...(defined.find((call) => call.id === id)?.errors ?? []),
  ]);
}

/** Returns the code that PostgreSQL runs with a call on rows: queries of views, policies, checks, defaults. */
function codeOf(kind: CallKind, entity: Entity, written: readonly Entity[], { roles, rules }: Chapters): string[] {
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

/**
 * Returns the ids of the rules that a call can violate. A new or changed row can violate its own rules. A deleted row
 * can violate the rules of the rows that reference it.
 */
function rulesBrokenBy(kind: CallKind, entity: Entity, { rules, entities }: Chapters): string[] {
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

/** Returns ids of the state machines that check a write. */
const machinesOf = (kind: CallKind, entity: Entity, { states }: Chapters): string[] =>
  kind === 'insert' || kind === 'update'
    ? (states?.machines ?? []).filter((machine) => machine.entity === entity.id).map(({ id }) => id)
    : [];

/** Returns true if a trigger runs the function with an id such as public.refuse(). */
const runs = (trigger: string, id: string): boolean =>
  trigger.includes(` FUNCTION ${id.slice(0, id.lastIndexOf('('))}(`);
