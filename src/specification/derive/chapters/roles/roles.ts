import type { RequestTrace } from '../../../../../contract/observed.ts';
import { type AuthSettings, defaultAuthSettings } from '../../../../../contract/settings-auth.ts';
import type { BucketEntry } from '../../../../../contract/specification-files.ts';
import type {
  AdviceEntry,
  ChangeCell,
  EdgeFunctionCell,
  FileCell,
  Operation,
  PolicyEntry,
  RoleCell,
  RolesChapter,
  TopicCell,
} from '../../../../../contract/specification-roles.ts';
import type { ChapterRole } from '../../../../access/calling-roles.ts';
import type { Decision } from '../../../../access/decision.ts';
import { type ExecutedRoutine, executedRoutines, exposedRelations } from '../../../../access/exposed.ts';
import type { AccessLookup, Lookup } from '../../../../access/lookup.ts';
import { operations } from '../../../../access/operations.ts';
import { anyone } from '../../../../access/outcomes.ts';
import type { Policies } from '../../../../access/policies.ts';
import { RequestAccess } from '../../../../access/request-access.ts';
import type { SharedFacts } from '../../../../access/shared-facts.ts';
import type { PolicyFact } from '../../../../catalog/access.ts';
import type { EdgeFunctionFact } from '../../../../catalog/edge-functions.ts';
import type { RelationFact } from '../../../../catalog/entities.ts';
import type { DecisionFacts } from '../../../../catalog/facts.ts';
import { byName, compareText, entityId, idOf, roleName, sqlName } from '../../../../catalog/names.ts';
import type { Entries } from '../../entries.ts';
import { isDocumented } from '../documented.ts';
import { usesRealtime } from '../realtime.ts';
import { adviceFor } from './advice/advice.ts';
import { conditionWords, decisionWords } from './condition-words.ts';
import { defaultPrivileges } from './default-privileges.ts';
import { fileCells } from './file-cells.ts';
import { changeCells, topicCells } from './realtime-cells.ts';

/**
 * Builds chapter 6: the privileges of each role on everything that /rest/v1 reaches, on files, and on edge functions.
 * @param buckets The buckets of chapter 3; absent if the app has no files.
 */
export function rolesChapter(
  entries: Entries,
  settings: AuthSettings = defaultAuthSettings,
  buckets?: readonly BucketEntry[],
): RolesChapter {
  const { facts } = entries.look;
  const relations = exposedRelations(facts);
  const documented = [...relations, ...unservedRelations(facts)];
  const cells = [
    ...relations.flatMap((relation) => entries.ofDecisions(cellsOfRelation, relation.oid, relation)),
    ...entries.ofAllDecisions(cellsOfFunctions),
  ];
  const policies = documented.flatMap((relation) => entries.ofDecisions(policiesOfRelation, relation.oid, relation));
  const advice = entries.ofAllDecisions(adviceOnDecisions, cells, settings);
  const files = buckets && entries.ofAllDecisions(fileCells, buckets);
  const isRealtime = usesRealtime(entries.look, entries.facts);
  const changes = isRealtime ? entries.ofAllDecisions(changeCells, entries.facts.published) : undefined;
  const topics = isRealtime ? entries.ofAllDecisions(topicCells) : undefined;
  const { edge_functions = [] } = entries.facts;
  const functions = edge_functions.length === 0 ? undefined : entries.ofAllDecisions(edgeFunctionCells, edge_functions);
  return entries.ofDecisions(chapterOf, '', cells, policies, advice, files, changes, topics, functions);
}

function chapterOf(
  { look: { shared } }: RequestAccess,
  cells: RoleCell[],
  policies: PolicyEntry[],
  advice: AdviceEntry[],
  files: FileCell[] | undefined,
  changes: ChangeCell[] | undefined,
  topics: TopicCell[] | undefined,
  functions: EdgeFunctionCell[] | undefined,
): RolesChapter {
  return {
    roles: shared.roles.map(({ name, fact, meaning, caller }) => ({
      name,
      meaning,
      member_role: caller.memberRole,
      bypasses_row_level_security: fact.superuser || fact.bypasses_row_security,
    })),
    cells,
    ...(files && { files }),
    ...(changes && { changes }),
    ...(topics && { topics }),
    ...(functions && { edge_functions: functions }),
    policies,
    default_privileges: defaultPrivileges(shared.facts, shared.roles.filter(isPossible), shared.membership),
    advice,
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

const cellsOfRelation = (requests: RequestAccess, relation: RelationFact): RoleCell[] =>
  relationCells(relation, requests.roles, requests);

const cellsOfFunctions = (look: Lookup): RoleCell[] =>
  functionCells(executedRoutines(look), look.shared.roles, new RequestAccess(look));

/** Decides who may call each edge function: everybody, or only calls with a key of the app or a token (`verify_jwt`). */
const edgeFunctionCells = (look: Lookup, functions: readonly EdgeFunctionFact[]): EdgeFunctionCell[] =>
  functions.flatMap((one) => look.shared.roles.map((role) => edgeFunctionCell(role, one)));

function edgeFunctionCell(role: ChapterRole, { name, verifies_jwt: verifies }: EdgeFunctionFact): EdgeFunctionCell {
  const of = { role: role.name, edge_function: name, operation: 'execute' } as const;
  if (role.barred !== null) return { ...of, verdict: 'never', words: '', reason: role.barred };
  if (!verifies) return { ...of, verdict: 'always', words: '', reason: 'the function checks its callers itself' };
  return role.caller.user === 'none' && role.name !== 'service_role'
    ? { ...of, verdict: 'when', words: 'the call has a key of the app', reason: 'the function needs a key or a token' }
    : { ...of, verdict: 'always', words: '', reason: 'the key or the token of the call' };
}

const policiesOfRelation = ({ access: { policies }, look }: RequestAccess, relation: RelationFact): PolicyEntry[] =>
  policies
    .of(relation.oid)
    .filter((policy) => !isNinefolds(relation, policy))
    .map((policy) => entry(look, policies, relation, policy));

function adviceOnDecisions(look: Lookup, cells: readonly RoleCell[], settings: AuthSettings): AdviceEntry[] {
  const { facts, shared } = look;
  const roles = shared.roles.filter(isPossible);
  const requests = new RequestAccess(look);
  const { access } = requests;
  return adviceFor({ facts, look, access, requests, roles, exposed: exposedRelations(facts), cells }, settings);
}

const isPossible = ({ barred }: ChapterRole): boolean => barred === null;

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
  entries: Entries,
  caller: MemberCaller,
  functions: ReadonlySet<string> = new Set(),
): RoleCell[] {
  const role = chapterRoleOf(entries.look.shared, caller);
  if (!role) return [];
  return entries
    .ofCaller(
      JSON.stringify([caller, [...functions]]),
      exposedRelations(entries.facts),
      (requests, relation) => relationCells(relation, [role], requests),
      (look) => (functions.size === 0 ? [] : cellsOnFunctions(look, role, functions)),
    )
    .flat();
}

/** Returns the role of a caller with all member roles of the user. Returns null if no call can have the role. */
function chapterRoleOf({ roles }: SharedFacts, { role, memberRoles }: MemberCaller): ChapterRole | null {
  const found = roles.find(
    ({ name, caller, barred }) => name === role && caller.memberRole === null && barred === null,
  );
  return found ? { ...found, caller: { ...found.caller, memberRoles } } : null;
}

function cellsOnFunctions(look: Lookup, role: ChapterRole, functions: ReadonlySet<string>): RoleCell[] {
  const named = executedRoutines(look).filter(
    ({ routine, isCallable }) => isCallable && functions.has(entityId(routine.schema, routine.name)),
  );
  return functionCells(named, [role], new RequestAccess(look));
}

const functionCells = (
  executed: readonly ExecutedRoutine[],
  roles: readonly ChapterRole[],
  requests: RequestAccess,
): RoleCell[] =>
  executed.flatMap((one) => roles.map((role) => cell(role, idOf(one.routine), 'execute', requests.routine(role, one))));

const relationCells = (relation: RelationFact, roles: readonly ChapterRole[], requests: RequestAccess): RoleCell[] =>
  operations.flatMap((operation) =>
    roles.map((role) =>
      cell(role, entityId(relation.schema, relation.name), operation, requests.relation(role, relation, operation)),
    ),
  );

/**
 * Returns the relations with policies that no call of /rest/v1 reaches. Their policies still apply to functions, views,
 * storage and sign-in. Omits Ninefold's own schemas.
 */
const unservedRelations = (facts: DecisionFacts): RelationFact[] =>
  facts.relations
    .filter(({ schema, is_partition }) => !facts.exposedSchemas.includes(schema) || is_partition)
    .filter(({ schema }) => !/^ninefold(_states)?$/.test(schema))
    .sort(byName);

/** Returns true for the policy by which an owner reads the tables of schema auth. Every app has this policy. */
const isNinefolds = (relation: RelationFact, policy: PolicyFact): boolean =>
  relation.schema === 'auth' && policy.name === 'app_owner';

/** Returns the cell of a decision. */
export function cell(role: ChapterRole, entity: string, operation: Operation, decision: Decision): RoleCell {
  const { code, policies, columns, errors } = decision;
  const verdict = decision.verdict === 'always' && errors.length > 0 ? 'when' : decision.verdict;
  const words = decisionWords(decision);
  const reason = [decision.reason, ...errors.map((one) => one.reason)].join('; ');
  const refused = code === null ? {} : { code };
  return { role: role.name, entity, operation, verdict, words, reason, ...refused, policies, columns };
}

const commands = { '*': 'all', r: 'select', a: 'insert', w: 'update', d: 'delete' } as const;

function entry({ shared }: AccessLookup, policies: Policies, relation: RelationFact, policy: PolicyFact): PolicyEntry {
  const { facts } = shared;
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
  const parse = (text: string | null) => (text === null ? null : policies.parsed(policy, text));
  return {
    entity,
    name: policy.name,
    permissive: policy.permissive,
    command,
    roles,
    using: policy.using,
    check: policy.check,
    words: conditionWords({ using: parse(policy.using), check: parse(policy.check), seen: null, caller: anyone }),
    ...(policy.comment === null ? {} : { comment: policy.comment }),
    sql: `${clauses.join('\n')};`,
    ...functionsOf(shared, policy),
  };
}

/**
 * Returns the app's own functions that a policy calls. Functions of Ninefold are omitted, because they are the same in
 * every app.
 */
function functionsOf({ facts, routines }: SharedFacts, policy: PolicyFact): Pick<PolicyEntry, 'functions'> {
  const called = policy.functions
    .flatMap(({ oid }) => routines.get(oid) ?? [])
    .filter(({ schema }) => isDocumented(facts, schema))
    .map((routine) => ({ id: idOf(routine), body: routine.body }))
    .sort((a, b) => compareText(a.id, b.id));
  return called.length === 0 ? {} : { functions: called };
}

/** Removes the brackets that PostgreSQL prints around the whole expression. */
function bare(expression: string): string {
  if (!expression.startsWith('(') || !expression.endsWith(')')) return expression;
  let depth = 0;
  // Replaces quoted text, which may contain brackets.
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

/** Returns the policies that chapter 6 lists for the role, entities and operations of a request. Pure. */
export function policiesForRequest(
  { touched, who }: Pick<RequestTrace, 'touched' | 'who'>,
  { cells, policies }: RolesChapter,
): PolicyEntry[] {
  const applying = new Set<string>();
  for (const { schema, name, operation } of touched) {
    const entity = entityId(schema, name);
    // An UPDATE or DELETE that has a filter or returns rows also reads rows, so the policies for SELECT apply too.
    const asked = operation === 'update' || operation === 'delete' ? [operation, 'select'] : [operation];
    for (const cell of cells) {
      if (cell.role !== who.role || cell.entity !== entity || !asked.includes(cell.operation)) continue;
      for (const policy of cell.policies) applying.add(`${entity} ${policy}`);
    }
  }
  return policies.filter((policy) => applying.has(`${policy.entity} ${policy.name}`));
}
