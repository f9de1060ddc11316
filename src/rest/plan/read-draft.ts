import type { Relation, Relationship, SqlName } from '../../catalog/catalog.ts';
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

/** A relation of the read while it is being planned: the node of `select`, and what the other parameters add to it. */
export interface Draft {
  readonly depth: number;
  /** The name in `select`. */
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
  /** What the catalog knows of the relation; undefined for the rows of a function that are of none. */
  table: Relation | undefined;
  /** The alias within the statement; null when it goes by its own name. */
  alias: string | null;
  relationship: Relationship | null;
  /** The alias of the subquery in the parent. */
  joinAlias: string;
  conditions: JoinCondition[];
  spread: 'one' | 'many' | null;
  select: PlannedSelect[];
  /** Columns that are there for the parent to order by, and not shown. */
  orderColumns: PlannedSelect[];
  /** Of a spread relation: its columns, one level up. */
  spreadColumns: SpreadColumn[];
}

/** What filters, orders and limits call the relation. */
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
 * The tree of `select` under the target, with filters, orders, limits and logic put where they belong. Of a write,
 * what belongs to the root is left out but for the order: it decides which rows are written.
 * Throws PGRST108 when a parameter names a relation that is not embedded.
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
  // of several orders of one relation the first counts
  for (const at of parameters.order.toReversed()) draftOf(at).order = at.value;
  if (!writes) {
    root.range = request.topRange;
    for (const at of parameters.ranges) draftOf(at).range = at.value;
  }
  for (const at of parameters.logic) if (belongs(at)) draftOf(at).filters.push(at.value);
  return { root, legacyNames: legacy };
}

/** The relation at a path. Where `legacy` is given, the name of one that has an alias finds it too, and is noted. */
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

/** A name in `order` or in the path of a parameter that no embedded relation has. */
export const notEmbedded = (name: string): NinefoldError =>
  new NinefoldError('PGRST108', {
    message: notEmbeddedMessage(name),
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });

const notEmbeddedMessage = (name: string): string => `'${name}' is not an embedded resource in this request`;

/** The same, with the alias to use where the relation has one. */
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
