import { operations } from '../../../../../access/operations.ts';
import type { PolicyFact } from '../../../../../catalog/access.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import { sqlName } from '../../../../../catalog/names.ts';
import { type Advice, type AdviceContext, idOf, isBound, listed } from './advice-context.ts';

/**
 * Advises on policies that read one another in a circle, once for each circle. PostgreSQL refuses every statement that
 * expands these policies (42P17).
 */
export function policiesInCircles(context: AdviceContext): Advice[] {
  const circles = new Map<string, { circle: RelationFact[]; failing: Set<string> }>();
  const refused = new Set(
    context.cells.flatMap((cell) => (cell.code === '42P17' ? `${cell.role} ${cell.operation} ${cell.entity}` : [])),
  );
  if (refused.size === 0) return [];
  for (const relation of context.exposed) {
    for (const role of context.roles.filter(isBound)) {
      for (const operation of operations) {
        const isRefused = refused.has(`${role.name} ${operation} ${idOf(relation)}`);
        const circle = isRefused ? context.access.circle(role.caller, relation, operation) : null;
        if (!circle) continue;
        const key = [...new Set(circle.map(idOf))].sort().join();
        const known = circles.get(key) ?? { circle, failing: new Set() };
        circles.set(key, known);
        known.failing.add(`${operation} on ${idOf(relation)} by ${role.name}`);
      }
    }
  }
  return [...circles.values()].map(({ circle, failing }) => adviceFor(context, circle, [...failing]));
}

function adviceFor({ access }: AdviceContext, circle: readonly RelationFact[], failing: readonly string[]): Advice {
  const first = circle.find(({ kind }) => kind !== 'v') ?? circle[0];
  if (!first) throw new Error('A circle has no relation.');
  const reading = access.policies.of(first.oid).filter(({ reads }) => reads.length > 0);
  const forced = first.force_row_security ? `\nalter table ${idOf(first)} no force row level security;` : '';
  return {
    about: 'policies in a circle',
    severity: 'fault',
    on: idOf(first),
    policies: reading.map(({ name }) => name),
    detail: circle.map(idOf).join(', '),
    words: `Policies read ${circle.map(idOf).join(', then ')}: infinite recursion (42P17). PostgreSQL refuses ${listed(failing)}. A function with the rights of the owner of ${idOf(first)} reads without policies and ends the circle: then the conditions decide, also over rows that the caller does not see.`,
    sql: `create schema if not exists private;\n${reading.map((policy) => asFunction(first, policy)).join('\n')}${forced}`,
  };
}

/**
 * Returns SQL that moves each condition of a policy into a SECURITY DEFINER function, which takes the row as its
 * argument.
 */
function asFunction(relation: RelationFact, policy: PolicyFact): string {
  const parts = [
    { clause: 'using', name: 'using', text: policy.using },
    { clause: 'with check', name: 'check', text: policy.check },
  ].filter((part): part is { clause: string; name: string; text: string } => part.text !== null);
  const named = parts.map((part) => ({ ...part, routine: `private.${sqlName(nameOf(relation, policy, part.name))}` }));
  const table = sqlName(relation.name);
  const functions = named.map(
    ({ routine, text }) =>
      `create function ${routine}(${idOf(relation)}) returns boolean language sql stable security definer set search_path = ''\n  as $condition$ select ${text} from (select ($1).*) as ${table} $condition$;`,
  );
  const clauses = named.map(({ clause, routine }) => `${clause} (${routine}(${table}))`);
  return [...functions, `alter policy ${sqlName(policy.name)} on ${idOf(relation)}\n  ${clauses.join('\n  ')};`].join(
    '\n',
  );
}

/**
 * Shortens the name of the function to PostgreSQL's limit of 63 bytes. The end of the name, which names the clause,
 * stays complete.
 */
function nameOf({ name }: RelationFact, policy: PolicyFact, clause: string): string {
  let start = `${name} ${policy.name}`;
  while (Buffer.byteLength(`${start} ${clause}`) > 63) start = [...start].slice(0, -1).join('');
  return `${start} ${clause}`;
}
