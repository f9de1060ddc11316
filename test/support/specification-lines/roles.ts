import { cellCondition, cellFailure } from '../../../contract/cell-condition.ts';
import type { AdviceEntry, PolicyEntry, RoleCell, RolesChapter } from '../../../contract/specification-roles.ts';
import { block, code, count, groupBy, inline, table } from './text.ts';

/** Prints chapter 6 as lines: a matrix for each entity with its policies, the default privileges and the advice. */
export function roleLines({ roles, cells, policies, default_privileges, advice }: RolesChapter): string {
  const tally = (verdict: RoleCell['verdict']) => cells.filter((cell) => cell.verdict === verdict).length;
  const unknown =
    tally('when') === 0
      ? ''
      : ' Unless it says otherwise, a condition on a field that has no value does not hold, and neither does its opposite.';
  const parts = [
    `${count(roles.length, 'role')} hold ${count(cells.length, 'cell')}: ${tally('always')} always, ${tally('when')} when a condition holds, ${tally('never')} never.${unknown}`,
    roles
      .map(
        (role) =>
          `- **${inline(role.name)}**: ${inline(role.meaning)}${role.bypasses_row_level_security ? '; row-level security does not bind it' : ''}`,
      )
      .join('\n'),
  ];
  const policiesOf = groupBy(policies, (policy) => policy.entity);
  const tables = cells.filter((cell) => cell.operation !== 'execute');
  for (const [entity, group] of groupBy(tables, (cell) => cell.entity)) {
    parts.push(
      `### ${inline(entity)}`,
      matrix(
        roles.map((role) => role.name),
        group,
        (cell) => cell.operation,
      ),
      ...limitedFields(group),
      ...unreached(group),
    );
    const documented = policiesOf.get(entity) ?? [];
    if (documented.length > 0) parts.push(documented.map(policyLine).join('\n'), details(documented));
  }
  const served = new Set(tables.map(({ entity }) => entity));
  const others = policies.filter(({ entity }) => !served.has(entity));
  for (const [entity, documented] of groupBy(others, (policy) => policy.entity)) {
    const where = /^storage\.(objects|buckets)$/.test(entity)
      ? 'No call on rows leads here; the calls of files do, and functions and views.'
      : 'No call on rows leads here; functions, views and the calls of sign-in do.';
    parts.push(`### ${inline(entity)}`, where, documented.map(policyLine).join('\n'), details(documented));
  }
  const functions = cells.filter((cell) => cell.operation === 'execute');
  if (functions.length > 0) {
    parts.push(
      '### Functions',
      matrix(
        roles.map((role) => role.name),
        functions,
        (cell) => cell.entity,
      ),
    );
  }
  if (default_privileges.length > 0) {
    parts.push('### Default privileges', default_privileges.map(({ words }) => `- ${inline(words)}`).join('\n'));
  }
  if (advice.length > 0) parts.push('### Advice', ...advice.flatMap(adviceParts));
  return parts.join('\n\n');
}

const severities = {
  fault: 'Calls fail',
  security: 'Security',
  performance: 'Performance',
  unused: 'Without effect',
} as const;

const adviceParts = (advice: AdviceEntry): string[] => [
  `- **${severities[advice.severity]}**, ${inline(advice.on)}: ${inline(advice.words)}`,
  `<details><summary>SQL fix</summary>\n\n${block(advice.sql)}\n\n</details>`,
];

function matrix(roles: readonly string[], cells: readonly RoleCell[], rowOf: (cell: RoleCell) => string): string {
  const rows = [...groupBy(cells, rowOf)].map(([row, group]) => [
    inline(row),
    ...roles.map((role) => verdict(group.find((cell) => cell.role === role))),
  ]);
  return table(['', ...roles.map(inline)], rows);
}

const fieldsOf = {
  select: 'Fields read by',
  insert: 'Fields given in new rows by',
  update: 'Fields changed by',
} as const;

/**
 * Returns lines with the names of the fields that privileges are limited to, because the words of a cell contain only
 * the number of fields. Roles with the same fields share a line.
 */
function limitedFields(cells: readonly RoleCell[]): string[] {
  const lines = (['select', 'insert', 'update'] as const).flatMap((operation) => {
    const limited = cells.filter((cell) => cell.operation === operation && cell.verdict === 'when' && cell.columns);
    return [...groupBy(limited, ({ columns }) => (columns ?? []).map(code).join(', '))].map(
      ([fields, alike]) => `- ${fieldsOf[operation]} ${alike.map(({ role }) => inline(role)).join(', ')}: ${fields}`,
    );
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const does = { select: 'reads it', insert: 'adds rows', update: 'changes rows', delete: 'deletes rows' } as const;

const listed = (words: readonly string[]): string => words.join(', ').replace(/, ([^,]*)$/, ' or $1');

/**
 * Returns, for each operation that no role can perform, the reason. Omits an operation whose reason differs between
 * roles.
 */
function unreached(cells: readonly RoleCell[]): string[] {
  const shut = (['select', 'insert', 'update', 'delete'] as const).flatMap((operation) => {
    const asked = cells.filter((cell) => cell.operation === operation);
    const [reason, ...others] = new Set(asked.map(({ reason }) => reason));
    const isShut = reason !== undefined && others.length === 0 && asked.every(({ verdict }) => verdict === 'never');
    return isShut ? [{ operation, reason }] : [];
  });
  return [...groupBy(shut, ({ reason }) => reason)].map(
    ([reason, alike]) => `Nobody ${listed(alike.map(({ operation }) => does[operation]))}: ${inline(reason)}.`,
  );
}

const verdict = (cell: RoleCell | undefined): string => {
  if (!cell) return '–';
  if (cell.verdict === 'never') {
    const code = cellFailure(cell);
    return code === null ? '–' : `– (${code})`;
  }
  return cell.verdict === 'always' ? 'always' : inline(cellCondition(cell.words));
};

const policyLine = (policy: PolicyEntry): string =>
  `- Policy **${inline(policy.name)}**, ${policy.permissive ? '' : 'a further condition '}for ${policy.command}, ${policy.roles.map(inline).join(', ')}: ${inline(policy.words)}`;

const details = (policies: readonly PolicyEntry[]): string =>
  `<details><summary>SQL</summary>\n\n${block(policies.map((policy) => policy.sql).join('\n\n'))}\n\n</details>`;
