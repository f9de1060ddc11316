import { operations, type RowOperation } from '../../../../../access/operations.ts';
import type { PolicyFact } from '../../../../../catalog/access.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import { groupBy } from '../../../../../catalog/group.ts';
import { compareText, roleName, sqlName } from '../../../../../catalog/names.ts';
import { placesOf } from '../../../../../sql-reader/places.ts';
import { isDocumented } from '../../documented.ts';
import { type Advice, type AdviceContext, idOf, isBound, listed, roleList } from './advice-context.ts';

/** The longest name of a suggested policy, and the least bytes of it that are not the operation and the roles. */
const NAME_BYTES = 60;
const LEAST_NAME_BYTES = 8;

const commandOf = { select: 'r', insert: 'a', update: 'w', delete: 'd' } as const;

/**
 * Advises on several permissive policies for the same operation and role that read the row. PostgreSQL evaluates them
 * one after another for each row, until one accepts the row. A policy that asks only for the role of the caller is
 * evaluated once for each statement, so it costs nothing beside the others.
 */
export function overlappingPolicies(context: AdviceContext): Advice[] {
  const { facts, access } = context;
  return facts.relations
    .filter((relation) => relation.row_security && isDocumented(facts, relation.schema))
    .flatMap((relation) => {
      const policies = access.policies
        .of(relation.oid)
        .filter((policy) => policy.permissive && readsRow(context, policy, relation));
      return together(context, relation, policies).map((group) => {
        const names = group.map((policy) => policy.name);
        const where = operations.filter((operation) => met(context, group, operation).length > 0);
        const who = [...new Set(where.flatMap((operation) => met(context, group, operation)))];
        return {
          about: 'overlapping policies' as const,
          severity: 'performance' as const,
          on: idOf(relation),
          policies: names,
          detail: names.join(', '),
          words: `Permissive policies ${listed(names.map((name) => `"${name}"`))} are for the same ${listed(where)} of ${listed(who)}: each is asked for every row that the others do not let through. The SQL joins them; who may do what stays.`,
          sql: joined(context, relation, group),
        };
      });
    });
}

/** Returns true if the expressions of a policy name a field of the row. */
function readsRow({ access }: AdviceContext, { using, check }: PolicyFact, { oid, name }: RelationFact): boolean {
  const fields = access.privileges.fieldsOf.get(oid) ?? [];
  const of = { relation: name, columns: new Set(fields.map((field) => field.name)) };
  return [using, check].some((text) => text !== null && placesOf(text, of).some(({ column }) => column !== null));
}

/** Returns the roles to which more than one of the policies applies for an operation. */
function met({ access, roles }: AdviceContext, policies: readonly PolicyFact[], operation: RowOperation): string[] {
  return roles
    .filter(isBound)
    .filter(
      (role) =>
        policies.filter((policy) => isFor(policy, operation) && access.policies.names(policy, role.caller.oid)).length >
        1,
    )
    .map((role) => role.name);
}

const isFor = (policy: PolicyFact, operation: RowOperation): boolean =>
  policy.command === '*' || policy.command === commandOf[operation];

/** Groups policies that overlap directly or through other policies. Each policy is in at most one group. */
function together(context: AdviceContext, relation: RelationFact, policies: readonly PolicyFact[]): PolicyFact[][] {
  const groups: PolicyFact[][] = [];
  const usable = context.facts.exposedSchemas.includes(relation.schema) ? policies : [];
  for (const policy of usable) {
    const touching = groups.filter((group) =>
      group.some((other) => operations.some((operation) => met(context, [policy, other], operation).length > 0)),
    );
    for (const group of touching) groups.splice(groups.indexOf(group), 1);
    groups.push([...touching.flat(), policy]);
  }
  return groups.filter((group) => group.length > 1);
}

/** Returns SQL that replaces the policies, so that one policy applies to each role and operation. */
function joined(context: AdviceContext, relation: RelationFact, policies: readonly PolicyFact[]): string {
  const [first, ...rest] = policies;
  if (!first) return '';
  const on = idOf(relation);
  const alike = rest.every((policy) => policy.command === first.command && sameRoles(policy, first));
  if (alike) {
    const clauses = clausesOf(policies, first.command);
    const drops = rest.map((policy) => `drop policy ${sqlName(policy.name)} on ${on};`);
    return [`alter policy ${sqlName(first.name)} on ${on}\n${clauses};`, ...drops].join('\n');
  }
  const drops = policies.map((policy) => `drop policy ${sqlName(policy.name)} on ${on};`);
  const creates = operations.flatMap((operation) => {
    const asked = policies.filter((policy) => isFor(policy, operation));
    const byPolicies = groupBy(rolesOf(context, asked), (role) =>
      asked.flatMap((policy, i) => (isNamed(context, policy, role) ? [i] : [])).join(),
    );
    return [...byPolicies].map(([places, roles]) => {
      const group = places.split(',').flatMap((place) => asked[Number(place)] ?? []);
      const name = nameOf(group, operation, roles);
      return `create policy ${sqlName(name)} on ${on} for ${operation} to ${roleList(roles)}\n${clausesOf(group, commandOf[operation])};`;
    });
  });
  return [...drops, ...creates].join('\n');
}

const sameRoles = (a: PolicyFact, b: PolicyFact): boolean => [...a.roles].sort().join() === [...b.roles].sort().join();

/**
 * Returns the roles that the policies name. If they name PUBLIC and other roles, returns all roles of calls instead of
 * PUBLIC.
 */
function rolesOf({ facts, roles }: AdviceContext, policies: readonly PolicyFact[]): string[] {
  const named = [...new Set(policies.flatMap((policy) => policy.roles))];
  if (named.length === 1 || !named.includes(0)) {
    return named.map((oid) => (oid === 0 ? 'public' : roleName(facts, oid))).sort(compareText);
  }
  const calling = roles.filter(isBound).map((role) => role.name);
  const others = named.filter((oid) => oid !== 0).map((oid) => roleName(facts, oid));
  return [...new Set([...calling, ...others])].sort(compareText);
}

/** Returns true if a policy applies to the role with this name, also through PUBLIC. */
function isNamed({ facts, access }: AdviceContext, policy: PolicyFact, role: string): boolean {
  if (policy.roles.includes(0)) return true;
  const oid = role === 'pg_database_owner' ? facts.database.owner : access.privileges.membership.named(role)?.oid;
  return oid !== undefined && access.policies.names(policy, oid);
}

/** Returns the USING and WITH CHECK clauses of several policies joined by OR. */
function clausesOf(policies: readonly PolicyFact[], command: PolicyFact['command']): string {
  const any = (texts: readonly string[]) =>
    [...new Set(texts)].map((text) => (policies.length > 1 ? `(${text})` : text)).join(' or ');
  const using = policies.flatMap((policy) => policy.using ?? []);
  const check = policies.flatMap((policy) => policy.check ?? policy.using ?? []);
  // WITH CHECK is needed only if some policy has it. Otherwise PostgreSQL uses USING as the check.
  const differs = policies.some((policy) => policy.check !== null);
  return [
    ...(command === 'a' || using.length === 0 ? [] : [`  using (${any(using)})`]),
    ...(command === 'a' || ((command === 'w' || command === '*') && differs) ? [`  with check (${any(check)})`] : []),
  ].join('\n');
}

/** Returns a name within PostgreSQL's limit of 63 bytes that differs for each operation and set of roles. */
function nameOf(policies: readonly PolicyFact[], operation: RowOperation, roles: readonly string[]): string {
  const tail = ` (${operation}, ${roles.join(', ')})`;
  const room = Math.max(LEAST_NAME_BYTES, NAME_BYTES - Buffer.byteLength(tail));
  let name = policies.map((policy) => policy.name).join(' or ');
  while (Buffer.byteLength(name) > room) name = [...name].slice(0, -1).join('');
  return `${name}${tail}`;
}
