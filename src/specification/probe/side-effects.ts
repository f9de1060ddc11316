import type { Lookup } from '../../access/lookup.ts';
import { cascade, type RowOperation } from '../../access/operations.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import type { CodeFacts } from '../../catalog/executed-code.ts';
import { groupBy } from '../../catalog/group.ts';
import { entityId } from '../../catalog/names.ts';

/**
 * Effects of a function's source that a rollback does not undo: other connections, files, session locks, `setval`,
 * other processes. NOTIFY is not included, because PostgreSQL sends it only after a commit. Numbers taken from
 * sequences are not included, because every failed call takes them too.
 */
const lasting =
  /\b(dblink\w*|lo_(import|export)|pg_(read|write)_(server_)?files?|pg_file_\w+|pg_(try_)?advisory_(lock|unlock)\w*|setval|pg_(terminate|cancel)_backend|pg_reload_conf|pg_rotate_logfile|http(_\w+)?|net\s*\.\s*http_\w+|copy\s[^;]*\b(program|to)\b|set_config\s*\([^;]*,\s*false\s*\))(?=\s*\(|\s|$)/i;

/** Languages whose functions can do no more than SQL. */
const contained = new Set(['sql', 'plpgsql', 'internal']);

/** Extensions that can reach beyond the database. */
const reaching = new Set([
  'dblink',
  'http',
  'pg_net',
  'pg_cron',
  'postgres_fdw',
  'file_fdw',
  'plsh',
  'adminpack',
  'aws_lambda',
  'aws_s3',
]);

/** An expression of a relation, with the functions of the app and of extensions that it calls (pg_depend). */
interface RelationExpression {
  relation: number;
  text: string | null;
  functions: readonly number[];
}

/** Finds statements that must not be tested because they have effects that a rollback does not undo. */
export class SideEffects {
  readonly #look: Lookup;
  readonly #fired: ReadonlyMap<number, CodeFacts['fired']>;
  /** The expressions of a relation that any statement on the relation may evaluate. */
  readonly #expressions: ReadonlyMap<number, readonly RelationExpression[]>;
  /** True if an expression of the relation has lasting effects; a cache by oid. */
  readonly #ofExpressions = new Map<number, boolean>();
  /**
   * Names of functions with lasting effects, and of tables whose triggers have lasting effects. The code of a function
   * that mentions such a name has lasting effects too.
   */
  readonly #names = new Set<string>();
  readonly #functions = new Map<number, string>();

  constructor(look: Lookup, code: CodeFacts) {
    const { facts } = look;
    this.#look = look;
    this.#fired = groupBy(code.fired, (fired) => fired.relation);
    const expressions: RelationExpression[] = [
      ...facts.policies.map(({ relation, using, check, functions }) => ({
        relation,
        text: `${using} ${check}`,
        functions: functions.map(({ oid }) => oid),
      })),
      ...facts.relations.map(({ oid, definition }) => ({
        relation: oid,
        text: definition,
        functions: look.views.of(oid).functions.map((one) => one.oid),
      })),
      ...facts.fields.map(({ relation, default: text, needs }) => ({
        relation,
        text,
        functions: needs?.functions ?? [],
      })),
      ...facts.constraints.map(({ relation, expression, functions }) => ({
        relation,
        text: expression,
        functions: functions ?? [],
      })),
    ];
    this.#expressions = groupBy(expressions, ({ relation }) => relation);
    for (const { oid, name, language, extension, source } of code.code) {
      const isFree = extension === null ? !contained.has(language) : reaching.has(extension);
      if (isFree || lasting.test(source)) this.#add(oid, name);
    }
    const words = new Map(code.code.map((one) => [one.oid, wordsOf(one.source)]));
    for (let before = -1; before !== this.#names.size + this.#functions.size; ) {
      before = this.#names.size + this.#functions.size;
      for (const { oid, name } of code.code) {
        if (!this.#functions.has(oid) && this.#mentioned(words.get(oid) ?? [])) this.#add(oid, name);
      }
      for (const { relation, function: called, rule } of code.fired) {
        const table = this.#look.relations.get(relation);
        if (table && (this.#functions.has(called) || this.#isLastingRule(rule)))
          this.#names.add(table.name.toLowerCase());
      }
    }
  }

  /**
   * Returns the reason why the probe must not run a function, not even while PostgreSQL plans a statement; null if it
   * may.
   */
  ofFunction(oid: number): string | null {
    const name = this.#functions.get(oid);
    return name === undefined ? null : `${name}() may do what a rollback does not take back`;
  }

  /** Returns the reason why a statement must not be tested; null if the probe may run it be tested. */
  of(relation: RelationFact, operation: RowOperation, seen = new Set<string>()): string | null {
    const key = `${relation.oid} ${operation}`;
    if (seen.has(key)) return null;
    seen.add(key);
    if (operation !== 'select' && relation.kind === 'f')
      return 'its rows are on another server, which a rollback here may not reach';
    return (
      this.#ofExpression(relation) ?? this.#ofTriggers(relation, operation) ?? this.#ofOthers(relation, operation, seen)
    );
  }

  /**
   * Returns true if a BEFORE row trigger of the relation, or of a base relation of a view, may change or skip rows.
   * @param field The number of the field that an UPDATE sets; null if unknown.
   */
  changesRows(relation: RelationFact, operation: RowOperation, field: number | null): boolean {
    const base = relation.kind === 'v' ? this.#look.views.base(relation) : [];
    // Passes null for the field, because the number that the field has in the base relation is not known here.
    if (base.some((used) => this.changesRows(used, operation, null))) return true;
    return (this.#fired.get(relation.oid) ?? []).some(
      ({ before_row, events, fields }) =>
        before_row &&
        operation !== 'select' &&
        events.includes(operation) &&
        (operation !== 'update' || fields.length === 0 || field === null || fields.includes(field)),
    );
  }

  #add(oid: number, name: string): void {
    this.#functions.set(oid, name);
    this.#names.add(name.toLowerCase());
  }

  #mentioned(words: readonly string[]): boolean {
    return words.some((word) => this.#names.has(word));
  }

  #isLastingRule(rule: string): boolean {
    return lasting.test(rule) || this.#mentioned(wordsOf(rule));
  }

  #ofExpression(relation: RelationFact): string | null {
    let isLasting = this.#ofExpressions.get(relation.oid);
    if (isLasting === undefined) {
      // PostgreSQL records no dependency on its own functions, so only the text names them.
      isLasting = (this.#expressions.get(relation.oid) ?? []).some(
        ({ text, functions }) =>
          (text !== null && lasting.test(text)) || functions.some((oid) => this.#functions.has(oid)),
      );
      this.#ofExpressions.set(relation.oid, isLasting);
    }
    return isLasting ? `a function that ${display(relation)} calls may do what a rollback does not take back` : null;
  }

  #ofTriggers(relation: RelationFact, operation: RowOperation): string | null {
    if (operation === 'select') return null;
    for (const fired of this.#fired.get(relation.oid) ?? []) {
      if (!fired.events.includes(operation)) continue;
      const name = this.#functions.get(fired.function);
      if (name !== undefined)
        return `a trigger of ${display(relation)} calls ${name}(), which may do what a rollback does not take back`;
      if (this.#isLastingRule(fired.rule))
        return `a rule of ${display(relation)} may do what a rollback does not take back`;
    }
    return null;
  }

  /**
   * Returns the reason why a statement must not be tested because of other relations: the base relations of a view, and
   * the relations whose rows a foreign key changes when a row is deleted.
   */
  #ofOthers(relation: RelationFact, operation: RowOperation, seen: Set<string>): string | null {
    for (const used of relation.kind === 'v' ? this.#look.views.base(relation) : []) {
      const found = this.of(used, 'select', seen) ?? this.of(used, operation, seen);
      if (found) return found;
    }
    if (operation !== 'delete') return null;
    for (const { on_delete: action, relation: oid } of this.#look.pointing.get(relation.oid) ?? []) {
      const pointing = this.#look.relations.get(oid);
      const does = cascade(operation, action);
      const found = pointing && does && this.of(pointing, does, seen);
      if (found) return found;
    }
    return null;
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\w$\u0080-\uffff]+/g) ?? [];

const display = (relation: RelationFact): string => entityId(relation.schema, relation.name);
