import type { CodeFacts } from '../../catalog/code.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import { Access } from '../access/access.ts';
import { type ChapterRole, callingRoles } from '../access/calling-roles.ts';
import type { Facts } from '../facts.ts';
import type { Row } from './literals.ts';
import { MadeRows } from './made-row.ts';
import type { Accounts } from './members.ts';
import { SideEffects } from './side-effects.ts';
import { Tries } from './tries.ts';

/** What all relations of one run are probed with. */
export class Ground {
  readonly facts: Facts;
  readonly access: Access;
  readonly roles: readonly ChapterRole[];
  readonly effects: SideEffects;
  readonly tries: Tries;
  readonly made: MadeRows;
  readonly accounts: Accounts;
  /** Null where the database has no accounts. */
  readonly users: RelationFact | null;

  constructor(facts: Facts, code: CodeFacts, accounts: Accounts) {
    this.facts = facts;
    this.access = new Access(facts);
    this.roles = callingRoles(facts, this.access.rights.membership);
    this.effects = new SideEffects(facts, code);
    const keys = facts.constraints.flatMap((one) => (one.kind === 'p' ? [[one.relation, one.fields] as const] : []));
    this.tries = new Tries(
      this.access,
      new Map(keys),
      facts.schemas.map((schema) => schema.name),
      new Set(code.computed.map((one) => `${one.relation} ${one.number}`)),
    );
    this.made = new MadeRows(facts, this.access.rights);
    this.accounts = accounts;
    this.users = facts.relations.find(({ schema, name }) => schema === 'auth' && name === 'users') ?? null;
  }

  /** The fields of a relation with a foreign key to auth.users. */
  pointingToUsers(relation: RelationFact): string[] {
    const fields = this.access.rights.fieldsOf.get(relation.oid) ?? [];
    return this.facts.constraints.flatMap((one) => {
      const isTo = one.kind === 'f' && one.relation === relation.oid && one.target === this.users?.oid;
      return isTo ? fields.flatMap((field) => (one.fields.includes(field.number) ? [field.name] : [])) : [];
    });
  }

  /** A row like one that is there, as it would be made: in the first state of its machines. */
  asNew(relation: RelationFact, pattern: Row): Row {
    const machines = this.facts.machines.filter((machine) => machine.relation === relation.oid);
    return new Map([...pattern, ...machines.map((machine) => [machine.field, machine.initial] as const)]);
  }
}
