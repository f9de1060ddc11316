import type { Relation, Relationship, SqlName } from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type {
  ApiRequest,
  At,
  JoinType,
  LogicTree,
  OrderTerm,
  RowRange,
  SelectField,
  SelectItem,
  SelectRelation,
} from '../request/api-request.ts';
import { allRows } from '../request/row-range.ts';
import type { JoinCondition, LegacyName, PlannedSelect, SpreadColumn } from './plan.ts';

/**
 * A relation of a read while the read is being planned: a relation in `select`, together with the data from other
 * parameters.
 */
export interface Draft {
  readonly depth: number;
  /** Name of the relation in `select`. */
  readonly name: string;
  readonly requestAlias: string | null;
  readonly hint: string | null;
  readonly join: JoinType | null;
  readonly items: readonly SelectField[];
  readonly children: Draft[];
  filters: LogicTree[];
  order: readonly OrderTerm[];
  range: RowRange;

  source: 'relation' | 'result';
  relation: SqlName;
  /** The relation in the schema cache; undefined for the result of a function without a relation. */
  table: Relation | undefined;
  /** Alias within the statement; null if the relation's own name is used. */
  alias: string | null;
  relationship: Relationship | null;
  /** Alias of the subquery in the parent. */
  joinAlias: string;
  conditions: JoinCondition[];
  spread: 'one' | 'many' | null;
  select: PlannedSelect[];
  /** Columns that are selected only for the parent's ORDER BY. */
  orderColumns: PlannedSelect[];
  /** Columns of a spread relation, which are shown as columns of the parent. */
  spreadColumns: SpreadColumn[];
}

/** Returns the name of the relation in filters, orders and limits. */
export const calledName = (draft: Draft): string => draft.requestAlias ?? draft.name;

const isRelation = (item: SelectItem): item is SelectRelation => item.kind === 'relation';
const isField = (item: SelectItem): item is SelectField => item.kind === 'field';

function newDraft(
  schema: string,
  depth: number,
  item: Pick<SelectRelation, 'name' | 'alias' | 'hint' | 'join' | 'spread' | 'items'>,
): Draft {
  return {
    depth,
    name: item.name,
    requestAlias: item.alias,
    hint: item.hint,
    join: item.join,
    items: item.items.filter(isField),
    children: item.items.filter(isRelation).map((child) => newDraft(schema, depth + 1, child)),
    filters: [],
    order: [],
    range: allRows,
    source: 'relation',
    relation: { schema, name: item.name },
    table: undefined,
    alias: null,
    relationship: null,
    joinAlias: '',
    conditions: [],
    spread: item.spread ? 'one' : null,
    select: [],
    orderColumns: [],
    spreadColumns: [],
  };
}

/**
 * Builds the tree of `select` for the target, and assigns filters, orders, limits and logic to its relations. For a
 * write, parameters of the root are left out except the order, which decides which rows are written.
 * @throws NinefoldError PGRST108 if a parameter names a relation that is not embedded.
 */
export function draftRead(
  request: ApiRequest,
  target: SqlName,
  acceptLegacyNames: boolean,
): { root: Draft; legacyNames: readonly LegacyName[] } {
  const { parameters, action } = request;
  const root = newDraft(target.schema, 0, {
    name: target.name,
    alias: null,
    hint: null,
    join: null,
    spread: false,
    items: parameters.select,
  });
  const writes = action.kind === 'mutate';
  const belongs = (at: At<unknown>): boolean => !writes || at.path.length > 0;
  const draftOf = (at: At<unknown>): Draft => draftAt(root, at.path, acceptLegacyNames ? legacy : null);
  const legacy: LegacyName[] = [];
  for (const at of parameters.filters) if (belongs(at)) draftOf(at).filters.push(at.value);
  // If a relation has several orders, the first one is used.
  for (const at of parameters.order.toReversed()) draftOf(at).order = at.value;
  if (!writes) {
    root.range = request.topRange;
    for (const at of parameters.ranges) draftOf(at).range = at.value;
  }
  for (const at of parameters.logic) if (belongs(at)) draftOf(at).filters.push(at.value);
  return { root, legacyNames: legacy };
}

/**
 * Returns the relation at a path. If `legacy` is given, a relation that has an alias is also found by its name. The use
 * of the name is then recorded in `legacy`.
 */
function draftAt(root: Draft, path: readonly string[], legacy: LegacyName[] | null): Draft {
  let draft = root;
  for (const name of path) {
    const child = draft.children.find(
      (candidate) => calledName(candidate) === name || (legacy !== null && candidate.name === name),
    );
    if (!child) throw notEmbeddedUnder(draft, name);
    const alias = child.requestAlias;
    if (legacy && alias !== null && alias !== name && !legacy.some((noted) => noted.name === name)) {
      legacy.push({ name, alias });
    }
    draft = child;
  }
  return draft;
}

/** Returns the error for a name in `order`, or in the path of a parameter, that is the name of no embedded relation. */
export const notEmbedded = (name: string): NinefoldError =>
  new NinefoldError('PGRST108', {
    message: notEmbeddedMessage(name),
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });

const notEmbeddedMessage = (name: string): string => `'${name}' is not an embedded resource in this request`;

/** Returns the error for a relation that is not embedded, with the alias to use if the relation has one. */
function notEmbeddedUnder(parent: Draft, name: string): NinefoldError {
  const aliased = parent.children.find((child) => child.name === name && child.requestAlias !== null);
  if (aliased) {
    return new NinefoldError('PGRST108', {
      message: notEmbeddedMessage(name),
      details: 'Target names are not allowed in filters if they have an alias',
      hint: `Change '${name}' to '${aliased.requestAlias}' in filters, orders or limits.`,
    });
  }
  return notEmbedded(name);
}
