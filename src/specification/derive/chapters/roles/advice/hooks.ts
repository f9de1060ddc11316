import { functionOfHook, grantOfHook, hookNames, hooks } from '../../../../../../contract/hooks.ts';
import type { AuthSettings } from '../../../../../../contract/settings-auth.ts';
import { idOf as idOfRoutine } from '../../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../../catalog/routines.ts';
import { type Advice, type AdviceContext, idOf, listed } from './advice-context.ts';

/** The role that runs the functions of auth hooks. */
const ROLE = 'supabase_auth_admin';

/**
 * Advises on enabled auth hooks that fail: the function is missing, the role may not execute it, or it reads tables
 * whose policies hide every row.
 */
export function failingHooks(context: AdviceContext, settings: AuthSettings): Advice[] {
  return hookNames.flatMap((name): Advice[] => {
    const target = settings[`hook_${name}_enabled`] ? functionOfHook(settings[`hook_${name}_uri`] ?? '') : null;
    if (target === null) return [];
    const { schema, name: called } = target;
    const title = hooks[name].title;
    const named = context.facts.routines.filter((one) => one.schema === schema && one.name === called);
    const routine = named.find(takesJson);
    if (!routine) {
      return [
        {
          about: 'auth hook that fails',
          severity: 'fault',
          on: `${schema}.${called}`,
          detail: title,
          words: `The auth hook “${title}” is on and calls ${schema}.${called}(jsonb), which does not exist: each call that needs the hook fails. Create the function, or switch the hook off.`,
          sql: `delete from ninefold.settings where key = 'hook_${name}_enabled';`,
        },
      ];
    }
    const { privileges } = context.access;
    const role = privileges.membership.named(ROLE)?.oid ?? -1;
    const isExecutable =
      privileges.usesSchema(role, schema) && privileges.refusedFunctions(role, [routine.oid]).length === 0;
    if (isExecutable) return tablesWithoutRows(context, title, routine, role);
    return [
      {
        about: 'auth hook that fails',
        severity: 'fault',
        on: idOfRoutine(routine),
        detail: title,
        words: `The auth hook “${title}” is on, and the role ${ROLE}, as which it runs, may not execute its function: each call that needs the hook fails.`,
        sql: grantOfHook(schema, called),
      },
    ];
  });
}

const takesJson = ({ kind, inputs }: RoutineFact): boolean =>
  kind === 'f' && inputs.filter((one) => !one.has_default).length <= 1 && /^jsonb?$/.test(inputs[0]?.type ?? '');

/**
 * Advises on each table that the function names but of which the role can read no row. A SECURITY DEFINER function is
 * left out, because it reads with the privileges of its owner.
 */
function tablesWithoutRows(context: AdviceContext, title: string, routine: RoutineFact, role: number): Advice[] {
  if (routine.security_definer) return [];
  const { policies, privileges } = context.access;
  const names = new Set(routine.body.match(/[A-Za-z_]\w*/g));
  const has = privileges.membership.privilegesOf(role);
  const shut = context.facts.relations.filter(
    (relation) =>
      (relation.kind === 'r' || relation.kind === 'p') &&
      names.has(relation.name) &&
      !privileges.owns(role, relation) &&
      (privileges.fields(role, relation, 'SELECT').length === 0 ||
        (relation.row_security &&
          !policies
            .of(relation.oid)
            .some(
              ({ permissive, command, roles }) =>
                permissive && (command === '*' || command === 'r') && roles.some((one) => one === 0 || has.has(one)),
            ))),
  );
  if (shut.length === 0) return [];
  const sql = shut.flatMap((relation) => [
    `grant select on ${idOf(relation)} to ${ROLE};`,
    ...(relation.row_security
      ? [`create policy "sign-in reads" on ${idOf(relation)} for select to ${ROLE} using (true);`]
      : []),
  ]);
  return [
    {
      about: 'auth hook that fails',
      severity: 'fault',
      on: idOfRoutine(routine),
      detail: `${title}: ${shut.map(idOf).join(', ')}`,
      words: `The function of the auth hook “${title}” names ${listed(shut.map(idOf))}, of which no grant and policy lets the role ${ROLE} read rows: it fails or finds nothing.`,
      sql: sql.join('\n'),
    },
  ];
}
