import { readNodes, type TreeNode } from '../catalog/node-tree.ts';

/** Values of JoinType (nodes/nodes.h). */
const LEFT = '1';
const FULL = '2';
const RIGHT = '3';
/** Value of SubLinkType (primnodes.h). */
const EXISTS = '0';
/** How PostgreSQL prints NULL, an empty list and false. */
const none: ReadonlySet<string> = new Set(['<>', 'false', '']);

/** The query of a view, as its parse tree shows it (pg_rewrite.ev_action). */
export class ViewQuery {
  readonly #query: TreeNode | undefined;
  /** Relations of the query, if the tree has no range table. */
  readonly #relations: readonly number[];

  /** @param tree A tree of `view_trees`. */
  constructor(tree: string, relations: readonly number[]) {
    [this.#query] = readNodes(tree);
    this.#relations = relations;
  }

  /** True if the query has no subqueries and no outer joins. PostgreSQL then needs every part to compute a whole row. */
  get isFlat(): boolean {
    return this.#query !== undefined && !this.#query.fields.has('rtable');
  }

  /** True if the query has no WHERE. */
  get showsAll(): boolean {
    return this.#is(this.#jointree?.fields.get('quals')?.text);
  }

  /** Returns the relations without a row of which the query returns no row: those that it joins by inner joins. */
  required(): ReadonlySet<number> {
    const has = (name: string): boolean => !this.#is(this.#query?.fields.get(name)?.text);
    // Without GROUP BY, an aggregate returns a row even for no rows.
    const isAggregate = (has('hasAggs') || has('havingQual')) && !has('groupClause');
    if (!this.#query || has('setOperations') || isAggregate || has('groupingSets')) return new Set();
    if (this.isFlat) return new Set(this.#relations);
    const range = this.#query.fields.get('rtable')?.nodes ?? [];
    const places = (this.#jointree?.fields.get('fromlist')?.nodes ?? []).flatMap(requiredPlaces);
    return new Set(places.flatMap((place) => relationOf(range[place - 1])));
  }

  /** Returns the only relation in FROM; undefined if there are several, or another item. */
  source(): number | undefined {
    if (this.isFlat) return this.#relations.length === 1 ? this.#relations[0] : undefined;
    const items = this.#jointree?.fields.get('fromlist')?.nodes ?? [];
    const [only] = items.length === 1 ? items.flatMap(requiredPlaces) : [];
    const range = this.#query?.fields.get('rtable')?.nodes ?? [];
    return only === undefined || items[0]?.type !== 'RANGETBLREF' ? undefined : relationOf(range[only - 1])[0];
  }

  /** Returns the relations that subqueries of the joins and of WHERE read. */
  readByConditions(): ReadonlySet<number> {
    const found = this.#jointree?.text.matchAll(/ :relid (\d+) /g) ?? [];
    return new Set([...found].map(([, oid]) => Number(oid)));
  }

  /**
   * Returns true if the query calls a function whatever fields a statement reads: in an inner join, in WHERE, and if
   * `isOrdered`, to group or sort. PostgreSQL skips a call that only an unread field or a removed join needs.
   */
  callsAnyway(routine: number, isOrdered: boolean): boolean {
    const conditions = this.#hasOuterJoin() ? this.#jointree?.fields.get('quals')?.nodes : this.#conditions();
    return callsIn(conditions, routine) || (isOrdered && callsIn(this.#grouping(), routine));
  }

  /** Returns true if the query calls a function only to group or sort its rows. */
  callsOnlyToOrder(routine: number): boolean {
    const shown = this.#targets().filter(({ fields }) => fields.get('resjunk')?.text !== 'true');
    return callsIn(this.#grouping(), routine) && !callsIn([...shown, ...this.#conditions()], routine);
  }

  get #jointree(): TreeNode | undefined {
    return this.#query?.fields.get('jointree')?.nodes[0];
  }

  #is(text: string | undefined): boolean {
    return none.has(text ?? '');
  }

  #hasOuterJoin(): boolean {
    return / :jointype [123] /.test(this.#jointree?.text ?? '');
  }

  #conditions(): readonly TreeNode[] {
    return this.#jointree ? [this.#jointree] : [];
  }

  #targets(): readonly TreeNode[] {
    return this.#query?.fields.get('targetList')?.nodes ?? [];
  }

  /** Returns the expressions of GROUP BY, ORDER BY, DISTINCT, HAVING and LIMIT. */
  #grouping(): readonly TreeNode[] {
    const fields = this.#query?.fields;
    const range = fields?.get('rtable')?.nodes ?? [];
    return [
      ...this.#targets().filter((target) => target.fields.get('ressortgroupref')?.text !== '0'),
      ...['havingQual', 'limitOffset', 'limitCount'].flatMap((name) => fields?.get(name)?.nodes ?? []),
      // Since PostgreSQL 18, the range table contains the expressions of GROUP BY.
      ...range.flatMap((entry) => entry.fields.get('groupexprs')?.nodes ?? []),
    ];
  }
}

/** Returns the places in the range table of the relations without a row of which an item of FROM has no row. */
function requiredPlaces({ type, fields }: TreeNode): number[] {
  if (type === 'RANGETBLREF') return [Number(fields.get('rtindex')?.text)];
  const kind = fields.get('jointype')?.text;
  const side = (name: string) => (fields.get(name)?.nodes ?? []).flatMap(requiredPlaces);
  return type !== 'JOINEXPR' || kind === FULL
    ? []
    : [...(kind === RIGHT ? [] : side('larg')), ...(kind === LEFT ? [] : side('rarg'))];
}

const relationOf = (entry: TreeNode | undefined): number[] => {
  const isRelation = entry?.fields.get('rtekind')?.text === '0';
  return isRelation ? [Number(entry.fields.get('relid')?.text)] : [];
};

/**
 * Returns true if one of the nodes calls the function: by name, by an operator, as a cast or as an aggregate. PostgreSQL
 * ignores the target list of EXISTS.
 */
function callsIn(nodes: readonly TreeNode[] | undefined, routine: number): boolean {
  return (nodes ?? []).some(({ text, fields }) => {
    if (!text.includes(`id ${routine} `)) return false;
    const isExists = fields.get('subLinkType')?.text === EXISTS;
    const inner = [...fields].flatMap(([, { nodes: within }]) => within);
    const parts = isExists
      ? inner.flatMap((query) =>
          [...query.fields].flatMap(([name, value]) => (name === 'targetList' ? [] : value.nodes)),
        )
      : inner;
    return isOwnCall(fields, routine) || callsIn(parts, routine);
  });
}

const isOwnCall = (fields: TreeNode['fields'], routine: number): boolean =>
  [...fields].some(([name, { text }]) => name.endsWith('id') && text === String(routine));
