import { defaultWords, environment, fileVariable, limitVariables, type Variable } from '../contract/environment.ts';
import { allErrors, type ErrorEntry } from '../contract/errors.ts';
import { type Limit, limitGroups, limits } from '../contract/limits.ts';
import { type Metric, metrics } from '../contract/metrics.ts';

/** The pages with generated tables. A table is between two comments, of which the first names it. */
export const generatedPages = ['README.md', 'docs/errors.md', 'docs/limits.md', 'docs/monitoring.md'] as const;

/** Returns text as a table cell contains it. Without the backslash, Markdown reads `|` as a border and `<ref>` as a tag. */
const cell = (text: string): string => text.replace(/[|<]/g, '\\$&').replaceAll('\n', ' ');

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');

function table(heads: readonly string[], rows: readonly string[][]): string {
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

function errorTable(source: ErrorEntry['source']): string {
  const entries = Object.entries<ErrorEntry>(allErrors).filter(([, entry]) => entry.source === source);
  // An object has keys such as 22004 before all others, whatever the order in its definition.
  if (source === 'postgres') entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = entries.map(([code, { status, meaning, action, otherStatuses = {} }]) => {
    const others = Object.entries(otherStatuses).map(([other, when]) => ` ${other}: ${when}`);
    return [`\`${code}\``, String(status), cell(`${meaning}${others.join('')}`), cell(action)];
  });
  return table(['code', 'status', 'meaning', 'what to do'], rows);
}

function limitTable(group: string): string {
  const rows = Object.entries<Limit>(limits)
    .filter(([, limit]) => limit.group === group)
    .map(([name, { unit, default: standard, meaning, setting, variable, range, code }]) => {
      const key = setting ?? variable;
      const by = key && range ? `\`${key}\`, ${grouped(range[0])} to ${grouped(range[1])}` : '';
      const amount = `${grouped(standard)}${unit === 'count' ? '' : ` ${unit}`}`;
      return [`\`${name}\``, amount, cell(meaning), by, code === undefined ? '' : `\`${code}\``];
    });
  return table(['limit', 'default', 'what it bounds', 'changed by', 'code'], rows);
}

/** The limits of one app have too many variables for the table; docs/limits.md contains them. */
const ofNode = Object.entries(limitVariables).flatMap(([name, variable]) =>
  limits[name as keyof typeof limitVariables].group === 'apps' ? [] : [variable],
);

function variableTable(): string {
  const rows = [...Object.values<Variable>(environment), ...ofNode].map((variable) => [
    `\`${variable.name}\`${variable.mayBeFile ? ` or \`${fileVariable(variable.name)}\`` : ''}`,
    cell(defaultWords(variable)),
    cell(variable.meaning),
  ]);
  return table(['Variable', 'Default', 'Meaning'], rows);
}

function metricTable(): string {
  const rows = Object.entries<Metric>(metrics).map(([name, { kind, labels = [], meaning }]) => [
    `\`${name}\``,
    kind,
    labels.map((label) => `\`${label}\``).join(', '),
    cell(meaning),
  ]);
  return table(['metric', 'kind', 'labels', 'meaning'], rows);
}

/** The tables by the name in their first comment. */
const tables: Readonly<Record<string, () => string>> = {
  environment: variableTable,
  metrics: metricTable,
  ...Object.fromEntries(
    (['ninefold', 'rest', 'auth', 'storage', 'realtime', 'functions', 'postgres'] as const).map((source) => [
      `errors ${source}`,
      () => errorTable(source),
    ]),
  ),
  ...Object.fromEntries(Object.keys(limitGroups).map((group) => [`limits ${group}`, () => limitTable(group)])),
};

/** Names of the tables that one of the pages must contain. */
export const tableNames = Object.keys(tables);

const TABLE = /(<!-- begin ([a-z- ]+): npm run docs -->\n\n)[\s\S]*?(\n\n<!-- end -->)/g;

/** Returns the names of the tables of a page, in order. */
export const tablesOf = (page: string): string[] => [...page.matchAll(TABLE)].map(([, , name = '']) => name);

/**
 * Returns a page with all of its tables generated again.
 * @throws Error for a table without a definition
 */
export const generate = (page: string): string =>
  page.replace(TABLE, (_, begin: string, name: string, end: string) => {
    const make = tables[name];
    if (!make) throw new Error(`There is no table “${name}”.`);
    return `${begin}${make()}${end}`;
  });
