import type { Chapters } from '../../../../contract/specification.ts';
import type { AdviceEntry, PolicyEntry, RoleCell, RolesChapter } from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import { machineFunctions } from '../../derive/chapters/calls/machine-functions.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { cellText, type ShownCell } from './cell-text.ts';
import type { Conditions } from './conditions.ts';
import { code, count, inline, table } from './escape.ts';
import { realtimeRoleParts } from './realtime.ts';

/**
 * Returns chapter 6 in Markdown: a matrix for each entity with its policies, the default privileges and the advice. The
 * JSON contains the SQL of policies and of advice.
 */
export function rolesMarkdown(chapter: RolesChapter, { calls, entities }: Chapters, conditions: Conditions): string {
  const { roles, cells, files, edge_functions = [], policies, default_privileges, advice } = chapter;
  const tally = (verdict: RoleCell['verdict']) => cells.filter((cell) => cell.verdict === verdict).length;
  const unknown =
    tally('when') === 0
      ? ''
      : ' The words of a condition stand beside its first number. Unless it says otherwise, a condition on a field that has no value does not hold, and neither does its opposite.';
  const parts = [
    `${count(roles.length, 'role')} hold ${count(cells.length, 'cell')}: ${tally('always')} always, ${tally('when')} if a condition holds, ${tally('never')} never.${unknown}`,
    roles
      .map(
        (role) =>
          `- **${inline(role.name)}**: ${inline(role.meaning)}${role.bypasses_row_level_security ? '; row-level security does not bind it' : ''}`,
      )
      .join('\n'),
  ];
  const names = roles.map((role) => role.name);
  const policiesOf = groupBy(policies, (policy) => policy.entity);
  const tables = cells.filter((cell) => cell.operation !== 'execute');
  const fieldsIn = new Map((entities?.entities ?? []).map(({ id, fields }) => [id, fields.map(({ name }) => name)]));
  for (const [entity, group] of groupBy(tables, (cell) => cell.entity)) {
    const documented = policiesOf.get(entity) ?? [];
    parts.push(
      `### ${inline(shownSql(entity))}`,
      matrix(names, group, (cell) => verbs[cell.operation], conditions),
    );
    const fields = limitedFields(group, fieldsIn.get(entity) ?? []);
    const lines = [...fields, ...documented.map((one) => policyLine(one, conditions))];
    parts.push(...unreached(group), ...(lines.length > 0 ? [lines.join('\n')] : []));
  }
  for (const [bucket, group] of groupBy(files ?? [], (cell) => cell.bucket)) {
    const isPublic = entities?.buckets?.find(({ id }) => id === bucket)?.public === true;
    parts.push(
      `### Files of bucket ${inline(bucket)}`,
      ...(isPublic ? ['The bucket is public, so everybody reads its files by their address.'] : []),
      matrix(names, group, (cell) => cell.operation, conditions),
    );
  }
  parts.push(...realtimeRoleParts(chapter, conditions));
  if (edge_functions.length > 0)
    parts.push(
      '### Edge functions',
      matrix(names, edge_functions, (cell) => cell.edge_function, conditions),
    );
  const served = new Set(tables.map(({ entity }) => entity));
  const others = policies.filter(({ entity }) => !served.has(entity));
  for (const [entity, documented] of groupBy(others, (policy) => policy.entity)) {
    const where = othersReach(entity);
    parts.push(
      `### ${inline(shownSql(entity))}`,
      where,
      documented.map((one) => policyLine(one, conditions)).join('\n'),
    );
  }
  const standard = machineFunctions(calls);
  const functions = cells.filter((cell) => cell.operation === 'execute' && !standard.has(cell.entity));
  if (functions.length > 0) {
    parts.push(
      '### Functions',
      matrix(names, functions, (cell) => cell.entity, conditions),
    );
  }
  if (default_privileges.length > 0) {
    parts.push('### Default privileges', default_privileges.map(({ words }) => `- ${inline(words)}`).join('\n'));
  }
  if (advice.length > 0) parts.push('### Advice', adviceLines(advice).join('\n'));
  return parts.join('\n\n');
}

/** Says what a policy on a relation decides that no call on rows reaches. */
const othersReach = (entity: string): string =>
  entity === 'realtime.messages'
    ? 'No call on rows leads here; private channels do, and functions and views.'
    : /^storage\.(objects|buckets)$/.test(entity)
      ? 'No call on rows leads here; the calls of files do, and functions and views.'
      : 'No call on rows leads here; functions, views and the calls of sign-in do.';

const severities = {
  fault: 'Calls fail',
  security: 'Security',
  performance: 'Performance',
  unused: 'Without effect',
} as const;

/** The start of the line that findings of one kind share, and what they are about. */
const together: Readonly<Partial<Record<AdviceEntry['about'], string>>> = {
  'foreign key without index':
    'no index for a reference, so the deletion of the row that it refers to reads the whole table',
  'no index': 'no index for the field by which a policy finds rows, so each such statement reads the whole table',
  'overlapping policies': 'several permissive policies for the same operation, of which PostgreSQL may evaluate each',
  'call for each row': 'a policy calls a function for each row instead of once for each statement',
};

/** Returns the advice: one line for each finding, or for all findings of a kind about performance. */
function adviceLines(advice: readonly AdviceEntry[]): string[] {
  const lines = [...groupBy(advice, ({ id, about }) => (together[about] === undefined ? id : about)).values()].map(
    (group) => {
      const [first] = group;
      if (first === undefined) return '';
      const start = `- **${severities[first.severity]}**`;
      const shared = together[first.about];
      if (shared === undefined) return `${start}, ${inline(shownSql(first.on))}: ${inline(shownSql(first.words))}`;
      return `${start}: ${shared}: ${group.map(placeOf).join(', ')}.`;
    },
  );
  return [...lines, '- The console and the JSON contain the SQL for each of them.'];
}

/** Returns the entity of a finding with the indexed fields or the policies. */
function placeOf({ on, sql, about, policies }: AdviceEntry): string {
  const fields = /index$/.test(about)
    ? /^create index .*?on \S+(?: using \w+)? \((.*)\)[^)]*;\s*$/is.exec(sql)?.[1]
    : undefined;
  const names = fields ?? policies.map((name) => `“${name}”`).join(', ');
  return `${inline(shownSql(on))}${names === '' ? '' : ` (${inline(names)})`}`;
}

const verbs = { select: 'read', insert: 'add', update: 'change', delete: 'delete', execute: 'call' } as const;

/**
 * Returns the cells as a table. Operations or functions with equal cells share a row, and roles with equal cells share a
 * column.
 */
function matrix<Cell extends ShownCell>(
  roles: readonly string[],
  cells: readonly Cell[],
  rowOf: (cell: Cell) => string,
  conditions: Conditions,
): string {
  const keys = (group: readonly (ShownCell | undefined)[]) => group.map(cellKey).join('\0');
  const rows = [...groupBy(cells, rowOf)].map(([row, group]) => ({
    row,
    cells: roles.map((role) => group.find((cell) => cell.role === role)),
  }));
  const merged = [...groupBy(rows, (one) => keys(one.cells)).values()].map((alike) => ({
    names: alike.map(({ row }) => inline(shownSql(row))).join(', '),
    cells: alike[0]?.cells ?? [],
  }));
  const columns = [
    ...groupBy(
      roles.map((_, i) => i),
      (i) => keys(merged.map((one) => one.cells[i])),
    ).values(),
  ];
  return table(
    ['', ...columns.map((column) => column.map((i) => inline(roles[i] ?? '')).join(', '))],
    merged.map((one) => [one.names, ...columns.map(([i = 0]) => cellText(one.cells[i], conditions))]),
  );
}

/** Returns a text that is equal for cells that say the same, whether or not a condition is mentioned for the first time. */
const cellKey = (cell: ShownCell | undefined): string =>
  cell === undefined
    ? ''
    : `${cell.verdict} ${cell.words} ${cell.code ?? ''} ${cell.words === '' ? cell.verdict === 'when' && cell.reason : ''} ${(cell.columns ?? []).join()}`;

const fieldsOf = {
  select: 'Fields that may be read by',
  insert: 'Fields that may be set in new rows by',
  update: 'Fields that may be changed by',
} as const;

/**
 * Returns lines with the names of the fields that privileges are limited to, because the words of a cell contain only
 * the number of fields. Names the fields that are left out if they are fewer. Roles with the same fields share a line.
 */
function limitedFields(cells: readonly RoleCell[], all: readonly string[]): string[] {
  return (['select', 'insert', 'update'] as const).flatMap((operation) => {
    const limited = cells.filter((cell) => cell.operation === operation && cell.verdict === 'when' && cell.columns);
    return [...groupBy(limited, ({ columns }) => (columns ?? []).join('\0'))].map(([, alike]) => {
      const fields = alike[0]?.columns ?? [];
      const others = all.filter((name) => !fields.includes(name));
      const isShorter = others.length < fields.length && others.length + fields.length === all.length;
      const list = isShorter ? `all but ${others.map(code).join(', ')}` : fields.map(code).join(', ');
      return `- ${fieldsOf[operation]} ${alike.map(({ role }) => inline(role)).join(', ')}: ${list}`;
    });
  });
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

const policyLine = (
  { name, permissive, command, roles, words, comment }: PolicyEntry,
  conditions: Conditions,
): string => {
  const to = roles.map((role) => (role === 'public' ? 'everybody' : inline(role))).join(', ');
  const said = words === 'always' || words === 'never' ? words : `if ${conditions.mention(words)}`;
  const more = comment === undefined ? '' : `. “${inline(comment.replace(/\.$/, ''))}”`;
  return `- ${permissive ? 'Policy' : 'Restrictive policy'} **${inline(name)}**: ${command} by ${to} ${said}${more}`;
};
