import type { RelationFact } from '../catalog/entities.ts';
import type { AccessLookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import { type Policies, relationsRead } from './policies.ts';
import { roleBeneath } from './view-uses.ts';

/** A relation that is read or written with the privileges of a role. */
interface Node {
  /**
   * The role that sends the statement. PostgreSQL uses its privileges for a security_invoker view, even if that view is
   * read through a view that uses its owner's privileges.
   */
  caller: number;
  role: number;
  relation: RelationFact;
  operation: RowOperation;
}

const keyOf = ({ caller, role, relation, operation }: Node): string => `${caller} ${role} ${relation.oid} ${operation}`;

/**
 * The graph of the relations that the policies of a relation read. PostgreSQL reports an error if it expands the
 * policies of a relation while it already expands them (rewriteHandler.c, fireRIRrules). It detects this only in
 * policies that contain subqueries.
 */
export class PolicyGraph {
  readonly #policies: Policies;
  readonly #look: AccessLookup;
  readonly #next = new Map<string, readonly Node[]>();
  readonly #returns = new Map<string, RelationFact[] | null>();
  readonly #circles = new Map<string, RelationFact[] | null>();
  /** For each visited node, the result of `#isStraight`; false while the node is being visited. */
  readonly #straight = new Map<string, boolean>();

  constructor(policies: Policies, look: AccessLookup) {
    this.#policies = policies;
    this.#look = look;
  }

  /**
   * Returns the relations that PostgreSQL expands in a circle if it refuses the operation with "infinite recursion
   * detected in policy" (42P17). The first relation is also the last. Returns null if there is no circle.
   */
  circle(caller: number, role: number, relation: RelationFact, operation: RowOperation): RelationFact[] | null {
    const start = { caller, role, relation, operation };
    return this.#once(this.#circles, start, () => {
      const straight = operation === 'select' && this.#isStraight(start);
      return straight ? null : firstOf([start, ...this.#reachable(start)], (node) => this.#returnsTo(node));
    });
  }

  /**
   * Returns true if no path from the node leads in a circle, or through a view to the privileges of another role.
   * Nearly all relations are straight, so `circle` rarely has to search.
   */
  #isStraight(node: Node): boolean {
    return this.#once(this.#straight, node, () => {
      this.#straight.set(keyOf(node), false);
      return node.relation.kind !== 'v' && this.#leadsTo(node).every((next) => this.#isStraight(next));
    });
  }

  /** Returns the shortest path on which the policies of a relation lead back to the relation; null if there is none. */
  #returnsTo(node: Node): RelationFact[] | null {
    const isBack = (other: Node) => other.relation.oid === node.relation.oid && this.#expands(other);
    return this.#once(this.#returns, node, () => (this.#expands(node) ? this.#wayTo(node, isBack) : null));
  }

  #wayTo(start: Node, isEnd: (node: Node) => boolean): RelationFact[] | null {
    const found = new Set<string>();
    const open: { node: Node; way: RelationFact[] }[] = [{ node: start, way: [start.relation] }];
    for (let at = open.shift(); at; at = open.shift()) {
      for (const next of this.#leadsTo(at.node)) {
        const way = [...at.way, next.relation];
        if (isEnd(next)) return way;
        const key = keyOf(next);
        if (found.has(key)) continue;
        found.add(key);
        open.push({ node: next, way });
      }
    }
    return null;
  }

  #reachable(start: Node): Node[] {
    const found = new Map<string, Node>();
    const open = [...this.#leadsTo(start)];
    for (let node = open.pop(); node; node = open.pop()) {
      const key = keyOf(node);
      if (found.has(key)) continue;
      found.set(key, node);
      open.push(...this.#leadsTo(node));
    }
    return [...found.values()];
  }

  #leadsTo(node: Node): readonly Node[] {
    return this.#once(this.#next, node, () => this.#leadsToAfresh(node));
  }

  /** Returns the known result for a node, or finds it out. */
  #once<Result>(known: Map<string, Result>, node: Node, find: () => Result): Result {
    const key = keyOf(node);
    return this.#look.recorder.within(node.relation.oid, () => {
      const result = known.get(key);
      if (result !== undefined) return result;
      const found = find();
      known.set(key, found);
      return found;
    });
  }

  #leadsToAfresh({ caller, role, relation, operation }: Node): Node[] {
    if (relation.kind === 'v') {
      const base = roleBeneath(relation, caller);
      return this.#look.views
        .base(relation)
        .map((fact) => ({ caller, role: base, relation: fact, operation: 'select' as const }));
    }
    const security = this.#policies.rows(role, relation, operation);
    if (!security.bound) return [];
    return relationsRead(security.policies, operation).flatMap(({ relation: oid }) => {
      const read = this.#look.relations.get(oid);
      return read ? [{ caller, role, relation: read, operation: 'select' as const }] : [];
    });
  }

  /** Returns true if the policies of the relation contain subqueries. */
  #expands({ role, relation, operation }: Node): boolean {
    if (relation.kind === 'v') return false;
    const security = this.#policies.rows(role, relation, operation);
    return security.bound && this.#policies.holdSubqueries(security.policies, operation);
  }
}

/** Returns the first result that is not null. */
function firstOf<T, A>(values: readonly T[], ask: (value: T) => A | null): A | null {
  for (const value of values) {
    const answer = ask(value);
    if (answer !== null) return answer;
  }
  return null;
}
