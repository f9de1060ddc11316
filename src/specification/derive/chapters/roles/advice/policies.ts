import type { PolicyFact } from '../../../../../catalog/access.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import { roleName, sqlName } from '../../../../../catalog/names.ts';
import { isKeyword, isOperator, isQuery, type Token, tokenise } from '../../../../../sql-reader/tokens.ts';
import { isDocumented } from '../../documented.ts';
import { type Advice, type AdviceContext, idOf, isBound, listed } from './advice-context.ts';

/** Functions that depend only on the caller, so one call for each statement is enough. */
const ofTheCaller = new Set([
  'auth.uid',
  'auth.jwt',
  'auth.role',
  'auth.email',
  'ninefold.caller',
  'ninefold.has_role',
  'ninefold.my_roles',
  'current_setting',
]);

const documentedPolicies = ({ facts, access }: AdviceContext): { relation: RelationFact; policy: PolicyFact }[] =>
  facts.relations
    .filter((relation) => isDocumented(facts, relation.schema))
    .flatMap((relation) => access.policies.of(relation.oid).map((policy) => ({ relation, policy })));

/** Advises on policies that call functions of the caller for each row. */
export function callsForEachRow(context: AdviceContext): Advice[] {
  return documentedPolicies(context).flatMap(({ relation, policy }) => {
    const parts = { using: policy.using, 'with check': policy.check };
    const calls = new Set<string>();
    const clauses = Object.entries(parts).flatMap(([clause, text]) => {
      const found = text === null ? [] : bareCalls(text);
      for (const { name } of found) calls.add(`${name}()`);
      return text !== null && found.length > 0 ? [`  ${clause} (${wrapped(text, found)})`] : [];
    });
    if (clauses.length === 0) return [];
    return [
      {
        about: 'call for each row',
        severity: 'performance',
        on: idOf(relation),
        policies: [policy.name],
        detail: policy.name,
        words: `Policy "${policy.name}" calls ${listed([...calls])} for each row. In a subquery of its own it is called once for each statement.`,
        sql: `alter policy ${sqlName(policy.name)} on ${idOf(relation)}\n${clauses.join('\n')};`,
      },
    ];
  });
}

interface Call {
  name: string;
  start: number;
  end: number;
}

const wrapped = (text: string, calls: readonly Call[]): string =>
  calls.reduceRight(
    (sql, { start, end }) => `${sql.slice(0, start)}(select ${sql.slice(start, end)})${sql.slice(end)}`,
    text,
  );

/** Returns the calls of functions in `ofTheCaller` that are not within a scalar subquery, in the order of the text. */
function bareCalls(text: string): Call[] {
  const found: Call[] = [];
  const look = (tokens: readonly Token[], isAlone: boolean): void => {
    for (const [i, token] of tokens.entries()) {
      if (token.kind !== 'group') continue;
      const call = callAt(tokens, i);
      if (call && !isAlone && isSettled(token.items)) found.push(call);
      // `( SELECT auth.uid() AS uid)` and expressions over its result, such as `( SELECT auth.jwt() ->> 'role')`, run
      // once for each statement.
      else look(token.items, isQuery(token.items) ? !token.items.some((item) => isKeyword(item, 'FROM')) : isAlone);
    }
  };
  if (/auth|ninefold|current_setting/.test(text)) look(tokenise(text) ?? [], false);
  return found;
}

/**
 * Returns the call whose arguments are in the brackets at an index. Returns null if the brackets belong to no call, or
 * to a call of another function.
 */
function callAt(tokens: readonly Token[], at: number): Call | null {
  const group = tokens[at];
  const name: string[] = [];
  let start = 0;
  for (let i = at - 1; i >= 0; i -= 2) {
    const word = tokens[i];
    if (word?.kind !== 'word') break;
    name.unshift(word.value);
    start = word.start;
    if (!isOperator(tokens[i - 1], '.')) break;
  }
  const called = name.join('.');
  return group?.kind === 'group' && group.bracket === '(' && ofTheCaller.has(called)
    ? { name: called, start, end: group.end }
    : null;
}

/** Returns true if the arguments contain no field, only literals, types and calls with such arguments. */
const isSettled = (tokens: readonly Token[]): boolean =>
  tokens.every((token, i) => {
    if (token.kind === 'group') return isSettled(token.items);
    if (token.kind !== 'word') return true;
    const isType =
      isOperator(tokens[i - 1], '::') || (tokens[i - 1]?.kind === 'word' && isOperator(tokens[i - 2], '::'));
    return isType || isKeyword(token, 'TRUE', 'FALSE', 'NULL');
  });

/**
 * Advises on policies that apply to no call: their roles are no roles of calls, bypass row-level security, or lack the
 * privilege.
 */
export function unreachablePolicies(context: AdviceContext): Advice[] {
  const { facts, access, roles } = context;
  const privileges = {
    r: ['SELECT'],
    a: ['INSERT'],
    w: ['UPDATE'],
    d: ['DELETE'],
    '*': ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  } as const;
  const { membership } = access.privileges;
  const login = membership.named(facts.authenticator);
  // Roles that the login role assumes only for auth calls. A policy for one of them is not unreachable, although no
  // data call has the role.
  const others = [...(login ? membership.assumableBy(login.oid) : [])].filter(
    (oid) => !roles.some((role) => role.caller.oid === oid),
  );
  const viewOwners = [
    ...new Set(facts.relations.flatMap((one) => (one.kind === 'v' && !one.security_invoker ? [one.owner] : []))),
  ];
  return documentedPolicies(context).flatMap(({ relation, policy }) => {
    if (policy.roles.some((oid) => others.includes(oid))) return [];
    if (!relation.row_security || !facts.exposedSchemas.includes(relation.schema)) return [];
    const named = policy.roles.map((oid) => (oid === 0 ? 'public' : roleName(facts, oid)));
    const applies = (oid: number) => access.policies.names(policy, oid);
    // Forced row-level security also applies to the owner, for example in views, so the policy may have an effect.
    if (relation.force_row_security && applies(relation.owner)) return [];
    // A view reads with the privileges of its owner, who may be another role than the owner of the table. So a policy
    // for the owner of a view may apply.
    if (viewOwners.some((owner) => applies(owner) && access.policies.rows(owner, relation, 'select').bound)) return [];
    const meeting = roles.filter((role) => role.caller.memberRole === null && applies(role.caller.oid));
    const bound = meeting.filter(isBound);
    const usable = bound.filter(
      (role) =>
        access.privileges.usesSchema(role.caller.oid, relation.schema) &&
        privileges[policy.command].some(
          (privilege) => access.privileges.fields(role.caller.oid, relation, privilege).length > 0,
        ),
    );
    if (usable.length > 0) return [];
    const why =
      meeting.length === 0
        ? `no call ever has ${named.length === 1 ? 'the role' : 'one of the roles'} ${listed(named)}`
        : bound.length === 0
          ? `row-level security does not bind ${listed(meeting.map((role) => role.name))}`
          : `${listed(bound.map((role) => role.name))} ${bound.length === 1 ? 'has' : 'have'} no grant for it`;
    return [
      {
        about: 'unreachable policy',
        severity: 'unused',
        on: idOf(relation),
        policies: [policy.name],
        detail: policy.name,
        words: `Policy "${policy.name}" has no effect on any call: ${why}.`,
        sql: `drop policy ${sqlName(policy.name)} on ${idOf(relation)};`,
      },
    ];
  });
}
