import { limits } from '../../../contract/limits.ts';
import type { Access } from '../../access/access.ts';
import type { ChapterRole } from '../../access/calling-roles.ts';
import { exposedRelations } from '../../access/exposed.ts';
import type { Lookup } from '../../access/lookup.ts';
import { RequestAccess } from '../../access/request-access.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import type { CodeFacts } from '../../catalog/executed-code.ts';
import type { DecisionFacts } from '../../catalog/facts.ts';
import type { Row } from './literals.ts';
import { type Accounts, type MemberField, memberFields, syntheticMembers } from './members.ts';
import { ProbePlanner, type SampleSize } from './probe-planner.ts';
import { SideEffects } from './side-effects.ts';
import { TestRows } from './test-rows.ts';

/** Matches a value of the caller, and a call with a schema. PostgreSQL prints its own functions without a schema. */
const namesCaller =
  /\b(?:CURRENT_USER|CURRENT_ROLE|SESSION_USER|SYSTEM_USER)\b|\bcurrent_setting\(|(?:"(?:[^"]|"")+"|\w+)\.(?:"(?:[^"]|"")+"|\w+)\(/;

const THOROUGH: SampleSize = { rows: 4, read: 4, written: 2, members: 3 };
const NARROW: SampleSize = { rows: 4, read: 2, written: 2, members: 2 };

/** The data that the probes of all relations of one run share. */
export class ProbeContext {
  readonly facts: DecisionFacts;
  readonly requests: RequestAccess;
  readonly access: Access;
  readonly roles: readonly ChapterRole[];
  readonly effects: SideEffects;
  readonly planner: ProbePlanner;
  readonly testRows: TestRows;
  readonly accounts: Accounts;
  readonly sampleSize: SampleSize;
  readonly #look: Lookup;
  readonly #memberFields = new Map<number, readonly MemberField[]>();
  /** The table auth.users; null if the database has none. */
  readonly users: RelationFact | null;

  constructor(look: Lookup, code: CodeFacts, accounts: Accounts) {
    const { facts } = look;
    this.facts = facts;
    this.requests = new RequestAccess(look);
    this.access = this.requests.access;
    this.roles = this.requests.roles;
    this.effects = new SideEffects(look, code);
    const { default: max } = limits.probeThoroughEntities;
    this.sampleSize = exposedRelations(facts).length > max ? NARROW : THOROUGH;
    this.planner = new ProbePlanner(
      look,
      this.access,
      new Set(code.computed.flatMap((one) => one.refused.map((write) => `${write} ${one.relation} ${one.number}`))),
      this.sampleSize,
    );
    const ids = accounts.members.length > 0 ? accounts.members.map((member) => member.id) : syntheticMembers;
    this.testRows = new TestRows(look, ids);
    this.accounts = accounts;
    this.#look = look;
    this.users = facts.relations.find(({ schema, name }) => schema === 'auth' && name === 'users') ?? null;
  }

  /** Returns true if the relation has rewrite rules, including disabled ones. */
  hasRules(relation: RelationFact): boolean {
    return this.#look.rules.has(relation.oid);
  }

  /** Returns the fields that a relation's policies compare with the id of the caller. */
  memberFieldsOf(relation: RelationFact): readonly MemberField[] {
    const found = this.#memberFields.get(relation.oid) ?? memberFields(this.access, relation);
    this.#memberFields.set(relation.oid, found);
    return found;
  }

  /**
   * Returns the names of the fields that contain a member's id, according to the policies or to a foreign key to
   * auth.users.
   */
  ownersOf(relation: RelationFact): string[] {
    const fields = this.access.privileges.fieldsOf.get(relation.oid) ?? [];
    const compared = this.memberFieldsOf(relation).filter(
      ({ schema, name }) => schema === relation.schema && name === relation.name,
    );
    const names = new Set(compared.map((one) => one.field));
    const toUsers = (this.#look.constraints.get(relation.oid) ?? []).filter(
      ({ kind, target }) => kind === 'f' && target === this.users?.oid,
    );
    const pointing = new Set(toUsers.flatMap((one) => one.fields));
    return fields
      .filter((field) => names.has(field.name) || pointing.has(field.number))
      .filter((field) => /^(uuid|text|character varying)/.test(field.type))
      .map((field) => field.name);
  }

  /**
   * Returns true for a view whose rows or columns may differ between callers: its query, or the query of a view that it
   * reads, names the caller or calls a function that is not PostgreSQL's own. Then a caller may not find a row by the
   * values that another caller read.
   */
  differsByCaller(view: RelationFact): boolean {
    if (view.kind !== 'v') return false;
    const text = (view.definition ?? '').replace(/'(?:[^']|'')*'/g, "''");
    return namesCaller.test(text) || this.#look.views.base(view).some((used) => this.differsByCaller(used));
  }

  /** Returns the tables that a view reads, at any depth. */
  baseRelations(view: RelationFact): RelationFact[] {
    const found = new Set<RelationFact>();
    for (const used of this.#look.views.base(view)) {
      for (const table of used.kind === 'v' ? this.baseRelations(used) : [used]) found.add(table);
    }
    return [...found].filter(({ kind, oid }) => (kind === 'r' || kind === 'p') && oid !== this.users?.oid);
  }

  /**
   * Returns a copy of an existing row that can be inserted as a new row: the fields of its state machines have the
   * initial states.
   */
  asNew(relation: RelationFact, pattern: Row): Row {
    const machines = this.facts.machines.filter((machine) => machine.relation === relation.oid);
    return new Map([...pattern, ...machines.map((machine) => [machine.field, machine.initial] as const)]);
  }
}
