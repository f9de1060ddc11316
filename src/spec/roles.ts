import { type AuthSettings, defaultAuthSettings } from '../../contract/settings-auth.ts';
import type { Operation, PolicyEntry, RoleCell, RolesChapter } from '../../contract/specification-roles.ts';
import type { PolicyFact } from '../catalog/access.ts';
import type { RelationFact } from '../catalog/entities.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { Access } from './access/access.ts';
import { type CallingRole, type ChapterRole, callingRoles } from './access/calling-roles.ts';
import { decideFunction } from './access/computed-access.ts';
import { conditionWords, type Decision, denied } from './access/decision.ts';
import { defaultPrivileges } from './access/default-privileges.ts';
import { type PreRequestCheck, preRequestCheck } from './access/pre-request.ts';
import { adviceFor } from './advice/advice.ts';
import type { Facts } from './facts.ts';
import type { Lookup } from './lookup.ts';
import { byName, compareText, entityId, idOf, roleName, sqlName } from './names.ts';
import { documentedRoutines, type ExecutedRoutine, executedRoutines, onlyReads } from './routines.ts';
import { settingEffects } from './setting-effects.ts';
import { anyone } from './words/outcomes.ts';

const operations = ['select', 'insert', 'update', 'delete'] as const;

/** Builds chapter 6: the privileges of each role on everything that /rest/v1 reaches. */
export function rolesChapter(look: Lookup, settings: AuthSettings = defaultAuthSettings): RolesChapter {
  const { facts } = look;
  const access = new Access(look);
  const roles = callingRoles(facts, access.privileges.membership);
  const before = preRequestCheck(facts, access.privileges);
  const relations = exposedRelations(facts);
  const documented = [...relations, ...unservedRelations(facts)];
  const cells = [
    ...relationCells(relations, roles, access, before),
    ...functionCells(look, executedRoutines(look), roles, access, before),
  ];
  const functions = new Map(documentedRoutines(facts).map((routine) => [routine.oid, routine]));
  const possible = roles.filter((role) => role.barred === null);
  return {
    roles: roles.map(({ name, fact, meaning, caller }) => ({
      name,
      meaning,
      member_role: caller.memberRole,
      bypasses_row_level_security: fact.superuser || fact.bypasses_row_security,
    })),
    cells,
    policies: documented.flatMap((relation) =>
      access.policies
        .of(relation.oid)
        .filter((policy) => !isNinefolds(relation, policy))
        .map((policy) => entry(facts, access, functions, relation, policy)),
    ),
    from_now_on: defaultPrivileges(facts, possible, access.privileges.membership),
    advice: adviceFor(
      { facts, relations: look.relations, access, roles: possible, exposed: relations, cells },
      settings,
    ),
    sources: [
      {
        kind: 'catalog',
        label: 'pg_policies: the policies',
        sql: 'select * from pg_policies order by schemaname, tablename, policyname',
      },
      { kind: 'catalog', label: 'pg_class.relacl, pg_attribute.attacl, pg_proc.proacl: the grants', sql: grantsSql },
      {
        kind: 'catalog',
        label: 'pg_default_acl: what is granted on what is made from now on',
        sql: 'select defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl from pg_default_acl order by 1, 2, 3',
      },
      { kind: 'catalog', label: 'pg_roles, pg_auth_members: the roles and who is a member of whom', sql: membersSql },
    ],
  };
}

/** A caller of an app: a database role, and all member roles of the user. */
export interface MemberCaller {
  readonly role: string;
  readonly memberRoles: readonly string[];
}

/**
 * Returns the cells of chapter 6 on tables and views, and on some functions, for one caller. Returns none if no call can
 * have the role.
 *
 * @param functions Ids of functions without their arguments: `public.close`.
 */
export function cellsOfCaller(
  look: Lookup,
  { role, memberRoles }: MemberCaller,
  functions: ReadonlySet<string> = new Set(),
): RoleCell[] {
  const access = new Access(look);
  const { facts } = look;
  const found = callingRoles(facts, access.privileges.membership).find(
    ({ name, caller, barred }) => name === role && caller.memberRole === null && barred === null,
  );
  if (!found) return [];
  const exact = { ...found, caller: { ...found.caller, memberRoles } };
  const before = preRequestCheck(facts, access.privileges);
  const executed = functions.size === 0 ? [] : executedRoutines(look);
  const named = executed.filter(
    ({ routine, isCallable }) => isCallable && functions.has(entityId(routine.schema, routine.name)),
  );
  return [
    ...relationCells(exposedRelations(facts), [exact], access, before),
    ...functionCells(look, named, [exact], access, before),
  ];
}

const functionCells = (
  { facts }: Lookup,
  executed: readonly ExecutedRoutine[],
  roles: readonly ChapterRole[],
  access: Access,
  before: PreRequestCheck,
): RoleCell[] =>
  executed.flatMap((one) =>
    roles.map((role) =>
      cell(role, before(role.caller.oid, one.routine.schema, onlyReads(one)), idOf(one.routine), 'execute', (caller) =>
        withSettings(facts, access, one.routine, decideFunction(access, caller, one)),
      ),
    ),
  );

function relationCells(
  relations: readonly RelationFact[],
  roles: readonly ChapterRole[],
  access: Access,
  before: PreRequestCheck,
): RoleCell[] {
  return relations.flatMap((relation) =>
    operations.flatMap((operation) =>
      roles.map((role) =>
        cell(
          role,
          before(role.caller.oid, relation.schema, operation === 'select'),
          entityId(relation.schema, relation.name),
          operation,
          (caller) => access.decide(caller, relation, operation),
        ),
      ),
    ),
  );
}

/** Returns the relations that /rest/v1 serves as tables. Partitions are reached through their table. */
export const exposedRelations = (facts: Facts): RelationFact[] =>
  facts.relations
    .filter((relation) => facts.exposedSchemas.includes(relation.schema) && !relation.is_partition)
    .sort(byName);

/**
 * Returns the relations with policies that no call of /rest/v1 reaches, but functions, views, storage and sign-in do.
 * Omits Ninefold's own schemas.
 */
const unservedRelations = (facts: Facts): RelationFact[] =>
  facts.relations
    .filter(({ schema, is_partition }) => !facts.exposedSchemas.includes(schema) || is_partition)
    .filter(({ schema }) => !/^ninefold(_states)?$/.test(schema))
    .sort(byName);

/** Returns true for the policy by which an owner reads the tables of schema auth. It is the same in every app. */
const isNinefolds = (relation: RelationFact, policy: PolicyFact): boolean =>
  relation.schema === 'auth' && policy.name === 'app_owner';

/** Denies the call if PostgreSQL refuses each call because of a setting of the function, before the code runs. */
function withSettings(facts: Facts, access: Access, routine: RoutineFact, decision: Decision): Decision {
  const refusal = settingEffects(facts, access.privileges.membership, routine).find((one) => one.refusal)?.refusal;
  return refusal === undefined || decision.verdict === 'never' ? decision : denied(refusal);
}

function cell(
  role: ChapterRole,
  before: ReturnType<PreRequestCheck>,
  entity: string,
  operation: Operation,
  decide: (caller: CallingRole) => Decision,
): RoleCell {
  const own = role.barred === null ? decide(role.caller) : denied(role.barred);
  const decision = role.barred === null && before ? before(own) : own;
  const { verdict, words, reason, policies, columns } = decision;
  return { role: role.name, entity, operation, verdict, words, reason, policies, columns };
}

const commands = { '*': 'all', r: 'select', a: 'insert', w: 'update', d: 'delete' } as const;

function entry(
  facts: Facts,
  access: Access,
  functions: ReadonlyMap<number, RoutineFact>,
  relation: RelationFact,
  policy: PolicyFact,
): PolicyEntry {
  const roles = policy.roles.map((oid) => (oid === 0 ? 'public' : roleName(facts, oid))).sort(compareText);
  const command = commands[policy.command];
  const entity = entityId(relation.schema, relation.name);
  const clauses = [
    `create policy ${sqlName(policy.name)} on ${entity}`,
    ...(policy.permissive ? [] : ['  as restrictive']),
    `  for ${command}`,
    `  to ${roles.map((name) => (name === 'public' ? name : sqlName(name))).join(', ')}`,
    ...(policy.using === null ? [] : [`  using (${bare(policy.using)})`]),
    ...(policy.check === null ? [] : [`  with check (${bare(policy.check)})`]),
  ];
  const parse = (text: string | null) => (text === null ? null : access.policies.parsed(policy, text));
  return {
    entity,
    name: policy.name,
    permissive: policy.permissive,
    command,
    roles,
    using: policy.using,
    check: policy.check,
    words: policy.comment ?? conditionWords(parse(policy.using), parse(policy.check), null, anyone),
    sql: `${clauses.join('\n')};`,
    ...functionsOf(functions, policy),
  };
}

/**
 * Returns the app's own functions that a policy calls. Functions of Ninefold are omitted, because they are the same in
 * every app.
 */
function functionsOf(documented: ReadonlyMap<number, RoutineFact>, policy: PolicyFact): Pick<PolicyEntry, 'functions'> {
  const called = policy.functions
    .flatMap(({ oid }) => documented.get(oid) ?? [])
    .map((routine) => ({ id: idOf(routine), body: routine.body }))
    .sort((a, b) => compareText(a.id, b.id));
  return called.length === 0 ? {} : { functions: called };
}

/** Removes the brackets that PostgreSQL prints around the whole expression. */
function bare(expression: string): string {
  if (!expression.startsWith('(') || !expression.endsWith(')')) return expression;
  let depth = 0;
  // Quoted text may contain brackets.
  const open = expression.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (quoted) => '_'.repeat(quoted.length));
  for (let i = 0; i < open.length - 1; i++) {
    if (open[i] === '(') depth++;
    else if (open[i] === ')') depth--;
    if (depth === 0) return expression;
  }
  return expression.slice(1, -1);
}

const grantsSql = `select c.oid::regclass as relation, coalesce(r.rolname, 'PUBLIC') as role, g.privilege_type as privilege
from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) g left join pg_roles r on r.oid = g.grantee
where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace <> 'pg_catalog'::regnamespace order by 1, 2, 3`;

const membersSql = `select m.member::regrole as member, m.roleid::regrole as role
from pg_auth_members m order by 1, 2`;
