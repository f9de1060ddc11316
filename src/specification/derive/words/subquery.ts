import { join } from '../../../sql-reader/condition.ts';
import { mapOperands } from '../../../sql-reader/map-tree.ts';
import type { Call, Expression, Operand, Source, Subquery } from '../../../sql-reader/tree.ts';
import { thing } from './sentence-parts.ts';
import { fieldName, resultsWords } from './value.ts';

type Say = (expression: Expression) => string;
type Field = Extract<Operand, { kind: 'field' }>;
type Equality = { left: Field; right: Field };

/** The words for the number of rows that a sentence is about. */
export type Amount = 'a row' | 'no row' | 'the row';

/**
 * Returns EXISTS in words: "team is the team of a row in public.members whose user_id is the member". Returns null if
 * the words would need the aliases of the query.
 */
export function existsWords(query: Subquery, amount: Amount, say: Say): string | null {
  const graph = graphOf(query);
  if (!graph) return null;
  const outer = graph.conditions.flatMap((item) => outerEquality(item, graph) ?? [])[0];
  if (!outer) {
    const [root] = graph.sources;
    const rows = root ? rowsOf(root, graph.conditions, graph, amount, say) : null;
    return rows && `there is ${rows}`;
  }
  const root = graph.sources.find(({ alias }) => alias === outer.right.qualifier);
  const rest = graph.conditions.filter((item) => outerEquality(item, graph)?.item !== outer.item);
  const rows = root ? rowsOf(root, rest, graph, amount, say) : null;
  if (!root || rows === null) return null;
  return `${subject(outer.left)} is ${memberOf(root, outer.right, rows)}`;
}

/** Returns words for the value that a subquery selects: "the team of a row in public.members whose …". */
export function selectedWords(query: Subquery, amount: Amount, say: Say): string | null {
  const graph = graphOf(query);
  const value = query.value?.kind === 'field' ? query.value : null;
  const root = graph?.sources.find(({ alias }) => alias === value?.qualifier);
  if (!graph || !value || !root) return null;
  const own = amount === 'the row' ? ownRowOf(root, graph) : null;
  if (own !== null) return `the ${value.name} of ${own}`;
  const rows = rowsOf(root, graph.conditions, graph, amount, say);
  return rows && memberOf(root, value, rows);
}

/** At the start of the words, a field without `row` is clearly a field of the outer row. */
const subject = (field: Field): string => (field.row === undefined ? field.name : fieldName(field));

const memberOf = (root: Source, field: Field, rows: string): string =>
  root.kind === 'function' ? rows : `the ${field.name} of ${rows}`;

/** The relations of a query and the conditions on them. */
interface Graph {
  sources: readonly Source[];
  conditions: readonly Expression[];
  aliases: ReadonlySet<string>;
  /** The aliases of this query and of the queries within it. */
  all: ReadonlySet<string>;
}

function graphOf(query: Subquery): Graph | null {
  if (!query.plain || !query.sources || query.rest !== '') return null;
  const conditions = [...query.on, query.where].flatMap((item) => (item.kind === 'and' ? item.items : [item]));
  const all = new Set<string>();
  collectAliases(query, all);
  return {
    sources: query.sources,
    conditions: conditions.filter((item) => item.kind !== 'constant' || item.value !== true),
    aliases: new Set(query.sources.map(({ alias }) => alias)),
    all,
  };
}

function collectAliases(query: Subquery, found: Set<string>): void {
  for (const { alias } of query.sources ?? []) found.add(alias);
  for (const item of [...query.on, query.where]) eachQuery(item, (inner) => collectAliases(inner, found));
}

function eachQuery(expression: Expression, visit: (query: Subquery) => void): void {
  if (expression.kind === 'exists' || expression.kind === 'in') visit(expression.query);
  else if (expression.kind === 'and' || expression.kind === 'or')
    for (const item of expression.items) eachQuery(item, visit);
  else if (expression.kind === 'not') eachQuery(expression.item, visit);
}

/** Returns "the member’s row in public.users (by id)" if the query has no other condition. */
function ownRowOf(root: Source, { sources, conditions }: Graph): string | null {
  const [only, ...more] = conditions;
  if (root.kind === 'function' || sources.length > 1 || more.length > 0) return null;
  if (only?.kind !== 'compare' || only.operator !== '=') return null;
  const [a, b] = only.left.kind === 'user-id' ? [only.right, only.left] : [only.left, only.right];
  return a.kind === 'field' && a.qualifier === root.alias && b.kind === 'user-id'
    ? `the member’s row in ${display(root)} (by ${a.name})`
    : null;
}

const display = ({ schema, name }: Extract<Source, { kind: 'relation' }>): string => thing(`${schema}.${name}`);

/** Parses an equality of two fields, such as `a.x = b.y`. */
function equality(item: Expression): Equality | null {
  if (item.kind !== 'compare' || item.operator !== '=') return null;
  return item.left.kind === 'field' && item.right.kind === 'field' ? { left: item.left, right: item.right } : null;
}

/** Parses an equality of a field of the outer row and a field of the query. `left` is the field of the outer row. */
function outerEquality(item: Expression, { aliases, all }: Graph): (Equality & { item: Expression }) | null {
  const sides = equality(item);
  if (!sides) return null;
  const isIn = ({ qualifier }: Field) => qualifier !== null && aliases.has(qualifier);
  const isOut = ({ qualifier, row }: Field) => row !== undefined || qualifier === null || !all.has(qualifier);
  if (isIn(sides.right) && isOut(sides.left)) return { ...sides, item };
  return isIn(sides.left) && isOut(sides.right) ? { left: sides.right, right: sides.left, item } : null;
}

/**
 * Returns words for rows with their conditions: "a row in public.a whose x is 1 and b is the id of a row in public.b".
 * Conditions that join another relation come last.
 */
function rowsOf(
  root: Source,
  conditions: readonly Expression[],
  graph: Graph,
  amount: Amount,
  say: Say,
): string | null {
  const used = new Set([root.alias]);
  const said = rowWords(root, conditions, graph, used, amount, say);
  return used.size === graph.sources.length ? said : null;
}

function rowWords(
  source: Source,
  conditions: readonly Expression[],
  graph: Graph,
  used: Set<string>,
  amount: Amount,
  say: Say,
): string | null {
  const own = conditions.filter((item) => onlyOf(item, graph, source.alias));
  const others = conditions.filter((item) => !own.includes(item));
  const links: string[] = [];
  const left = new Set(others);
  for (const item of others) {
    const [here, there] = sidesFrom(item, source.alias);
    const next = graph.sources.find(({ alias }) => alias === there?.qualifier && !used.has(alias));
    if (!here || !there || !next) continue;
    used.add(next.alias);
    left.delete(item);
    const beneath = reachable(next.alias, [...left], graph);
    for (const one of beneath) left.delete(one);
    const rows = rowWords(next, beneath, graph, used, 'a row', say);
    if (rows === null) return null;
    links.push(`${here.name} is ${memberOf(next, there, rows)}`);
  }
  if (left.size > 0) return null;
  const inWords = own.length === 0 ? [] : [say(described(join('and', own), source, graph))];
  // The condition is shown as SQL if its words would contain an alias, because an alias has no meaning outside of the
  // SQL.
  if (inWords.some((words) => [...graph.all].some((alias) => mentions(words, alias, source)))) return null;
  const all = [
    ...inWords,
    ...links.map((link, i) => (i < links.length - 1 && link.includes(' whose ') ? `(${link})` : link)),
  ];
  const rows =
    source.kind === 'function' ? resultsOf(source.call, amount) : `${amount}${readable(source)} in ${display(source)}`;
  return all.length === 0 ? rows : `${rows} whose ${all.join(' and ')}`;
}

/** A subquery of a policy sees only the rows that the policies on its own table let the caller read. */
const readable = ({ isLimited }: Extract<Source, { kind: 'relation' }>): string =>
  isLimited ? ' that the member may read' : '';

const resultsOf = (call: Call, amount: Amount): string =>
  amount === 'a row' ? `one of ${resultsWords(call)}` : `${amount} of ${resultsWords(call)}`;

const mentions = (words: string, alias: string, source: Source): boolean =>
  new RegExp(`(?<![\\w.])${alias.replace(/[^\w]/g, '\\$&')}\\.`).test(words) &&
  !(source.kind === 'relation' && alias === source.schema);

/** Returns the two sides of a join, starting with the side of this alias. */
function sidesFrom(item: Expression, alias: string): [Field, Field] | [] {
  const sides = equality(item);
  if (!sides) return [];
  if (sides.left.qualifier === alias) return [sides.left, sides.right];
  return sides.right.qualifier === alias ? [sides.right, sides.left] : [];
}

/** Returns the conditions on a source and on the sources joined to it. */
function reachable(alias: string, conditions: readonly Expression[], graph: Graph): Expression[] {
  const reached = new Set([alias]);
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const item of conditions) {
      const names = aliasesIn(item, graph);
      if (names.size === 2 && [...names].some((name) => reached.has(name))) for (const name of names) reached.add(name);
    }
  }
  return conditions.filter((item) => {
    const names = [...aliasesIn(item, graph)];
    return names.length > 0 && names.every((name) => reached.has(name));
  });
}

/** Returns true if a condition uses only one source of the query, and possibly outer rows. */
function onlyOf(item: Expression, graph: Graph, alias: string): boolean {
  const names = aliasesIn(item, graph);
  return names.size === 0 || (names.size === 1 && names.has(alias));
}

function aliasesIn(item: Expression, { aliases }: Graph): Set<string> {
  const found = new Set<string>();
  mapOperands(item, (operand) => {
    if (operand.kind === 'field' && operand.qualifier !== null && aliases.has(operand.qualifier))
      found.add(operand.qualifier);
    return operand;
  });
  return found;
}

/**
 * Returns a condition about the described row in words. Fields of this row have no qualifier, and fields of outer rows
 * are marked.
 */
function described(item: Expression, source: Source, { all }: Graph): Expression {
  return mapOperands(item, (operand) => {
    if (operand.kind !== 'field') return operand;
    if (operand.row === 'described') return { kind: 'said', words: `that row’s ${operand.name}`, text: operand.name };
    if (operand.qualifier === null) return operand;
    if (operand.qualifier === source.alias) return { ...operand, qualifier: null, row: 'described' };
    return all.has(operand.qualifier) ? operand : { ...operand, qualifier: null, row: 'own' };
  });
}
