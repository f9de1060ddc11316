import type { RelationFact } from '../../../../../catalog/entities.ts';
import { groupBy } from '../../../../../catalog/group.ts';
import type { IndexFact } from '../../../../../catalog/indexes.ts';
import { sqlName } from '../../../../../catalog/names.ts';
import type { Expression, Operand, Subquery } from '../../../../../sql-reader/tree.ts';
import { isDocumented } from '../../documented.ts';
import { type Advice, type AdviceContext, idOf, listed } from './advice-context.ts';

interface Indexed extends AdviceContext {
  indexes: ReadonlyMap<number, readonly IndexFact[]>;
}

/** The fields by which a condition finds rows of a relation. An index that starts with one of them is sufficient. */
interface Search {
  relation: RelationFact;
  fields: string[];
}

/**
 * Advises on missing indexes: policies that make PostgreSQL read every row of a table, and foreign keys that make
 * PostgreSQL read every row when a referenced row is deleted.
 */
export function missingIndexes(context: AdviceContext): Advice[] {
  const indexed = { ...context, indexes: groupBy(context.facts.indexes, (index) => index.relation) };
  const underPolicies = policyIndexes(indexed);
  const made = new Set(underPolicies.map(({ sql }) => sql));
  return [...underPolicies, ...keyIndexes(indexed).filter(({ sql }) => !made.has(sql))];
}

function policyIndexes(ground: Indexed): Advice[] {
  const { facts, access } = ground;
  const named = new Map(facts.relations.map((relation) => [`${relation.schema}\0${relation.name}`, relation]));
  const found = new Map<string, Advice & { policies: string[] }>();
  for (const relation of facts.relations.filter((one) => isDocumented(facts, one.schema) && one.row_security)) {
    for (const policy of access.policies.of(relation.oid)) {
      const texts = [policy.using, policy.check].filter((text) => text !== null);
      // A WITH CHECK condition evaluates a new row and does not search for it. So only the searches in other tables
      // count.
      const searches = texts.flatMap((text) =>
        searchesOf(access.policies.parsed(policy, text), relation, (schema, name) =>
          named.get(`${schema}\0${name}`),
        ).filter((search) => search.relation !== relation || text === policy.using),
      );
      for (const search of searches) {
        const [field] = search.fields;
        const isOwn =
          isDocumented(facts, search.relation.schema) && (search.relation.kind === 'r' || search.relation.kind === 'p');
        if (field === undefined || !isOwn || search.fields.some((name) => leads(ground, search.relation, [name])))
          continue;
        const on = idOf(search.relation);
        const sql = `create index on ${on} (${search.fields.map(sqlName).join(', ')});`;
        const known = found.get(sql);
        const whose = search.relation === relation ? [policy.name] : [];
        if (known) {
          for (const name of whose) if (!known.policies.includes(name)) known.policies.push(name);
          continue;
        }
        const by =
          search.relation === relation ? `Policy "${policy.name}"` : `Policy "${policy.name}" of ${idOf(relation)}`;
        found.set(sql, {
          about: 'no index',
          severity: 'performance',
          on,
          policies: whose,
          detail: search.fields.join(', '),
          words: `${by} finds rows of ${on} by ${listed(search.fields)}, and no index begins with ${search.fields.length > 1 ? 'one of them' : 'it'}: each such statement looks at every row.`,
          sql,
        });
      }
    }
  }
  return [...found.values()];
}

function keyIndexes(ground: Indexed): Advice[] {
  const { facts, access, look } = ground;
  return facts.constraints.flatMap((constraint) => {
    const relation = look.relations.get(constraint.relation);
    if (constraint.kind !== 'f' || !relation || !isDocumented(facts, relation.schema) || relation.extension !== null)
      return [];
    const fields = constraint.fields.flatMap(
      (number) => access.privileges.fieldsOf.get(relation.oid)?.find((field) => field.number === number)?.name ?? [],
    );
    if (fields.length === 0 || leads(ground, relation, fields)) return [];
    const target = look.relations.get(constraint.target);
    return [
      {
        about: 'foreign key without index' as const,
        severity: 'performance' as const,
        on: idOf(relation),
        detail: constraint.name,
        words: `No index begins with ${listed(fields)}, by which ${constraint.name} points to ${target ? idOf(target) : 'another table'}: each delete there looks at every row here, and so does embedding.`,
        sql: `create index on ${idOf(relation)} (${fields.map(sqlName).join(', ')});`,
      },
    ];
  });
}

/** Returns true if the table has an index that starts with these fields, in any order. */
function leads({ access, indexes }: Indexed, relation: RelationFact, names: readonly string[]): boolean {
  const numbers = names.map(
    (name) => (access.privileges.fieldsOf.get(relation.oid) ?? []).find((field) => field.name === name)?.number ?? -1,
  );
  return (indexes.get(relation.oid) ?? []).some((index) => {
    const first = index.fields.slice(0, numbers.length);
    return numbers.every((number) => first.includes(number));
  });
}

type Named = (schema: string, name: string) => RelationFact | undefined;

/**
 * Returns the fields that a condition searches by: those compared with a value of the caller or with a field of an
 * outer row. One index is enough for conditions joined by AND. Each condition joined by OR needs its own index.
 */
function searchesOf(expression: Expression, relation: RelationFact, named: Named): Search[] {
  return searches(look(expression, { relation, alias: null }, named), relation);
}

const searches = ({ fields, inside }: Looked, relation: RelationFact): Search[] => [
  ...fields.map((names) => ({ relation, fields: names })),
  ...inside,
];

/** The relation whose rows are searched, and its alias in a subquery; null for the policy's own relation. */
interface Scope {
  relation: RelationFact;
  alias: string | null;
}

interface Looked {
  /** Each list needs an index that starts with one of its fields. */
  fields: string[][];
  /** The searches of subqueries. */
  inside: Search[];
}

function look(expression: Expression, scope: Scope, named: Named): Looked {
  const none: Looked = { fields: [], inside: [] };
  switch (expression.kind) {
    case 'and': {
      const parts = expression.items.map((item) => look(item, scope, named));
      const searched = parts.flatMap((part) => (part.fields.length > 0 ? [part.fields] : []));
      const single = searched.filter((fields) => fields.length === 1).flat();
      const fields = single.length > 0 ? [[...new Set(single.flat())]] : (searched[0] ?? []);
      return { fields, inside: parts.flatMap((part) => part.inside) };
    }
    case 'or': {
      const parts = expression.items.map((item) => look(item, scope, named));
      // One part of an OR that needs no index makes PostgreSQL read every row anyway, unless its value is the same for
      // the whole statement.
      const isWhole = expression.items.some((item, i) => parts[i]?.fields.length === 0 && readsField(item));
      return {
        fields: isWhole ? [] : parts.flatMap((part) => part.fields),
        inside: parts.flatMap((part) => part.inside),
      };
    }
    case 'compare': {
      if (expression.operator !== '=') return none;
      const { left, right } = expression;
      const field = isGiven(left, scope) ? own(right, scope) : isGiven(right, scope) ? own(left, scope) : null;
      return { fields: field === null ? [] : [[field]], inside: [] };
    }
    // PostgreSQL hashes the result of the subquery and compares each row with it, so the outer field needs no index.
    case 'in':
    case 'exists':
      return { fields: [], inside: within(expression.query, named) };
    case 'not':
      return { fields: [], inside: look(expression.item, scope, named).inside };
    case 'named':
      return look(expression.item, scope, named);
    default:
      return none;
  }
}

/** Returns the searches in the relation that a subquery reads. */
function within(query: Subquery, named: Named): Search[] {
  const [from, ...others] = query.from;
  const relation = from && named(...from);
  if (!relation || others.length > 0) return [];
  const alias = /\s(?:AS\s+)?("?)([^"]+)\1$/.exec(query.source.replace(/^ONLY\s+/, ''))?.[2] ?? relation.name;
  return searches(look(query.where, { relation, alias }, named), relation);
}

/**
 * Returns true for a value that is the same for all searched rows: a value of the caller or a field of an outer row.
 */
const isGiven = (operand: Operand, scope: Scope): boolean =>
  operand.kind === 'user-id' ||
  operand.kind === 'user-email' ||
  (operand.kind === 'field' && scope.alias !== null && own(operand, scope) === null);

/** Returns the name if the value is a field of the searched relation; otherwise null. */
const own = (operand: Operand, { relation, alias }: Scope): string | null => {
  if (operand.kind !== 'field') return null;
  const isOwn =
    alias === null ? operand.qualifier === null || operand.qualifier === relation.name : operand.qualifier === alias;
  return isOwn ? operand.name : null;
};

function readsField(expression: Expression): boolean {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.items.some(readsField);
    case 'not':
    case 'is':
    case 'named':
      return readsField(expression.item);
    case 'constant':
      return false;
    case 'compare':
      return [expression.left, expression.right].some(isField);
    case 'one-of':
    case 'null':
    case 'holds':
    case 'in':
      return isField(expression.operand);
    default:
      return true;
  }
}

const isField = ({ kind }: Operand): boolean => rowKinds.includes(kind);

const rowKinds: readonly Operand['kind'][] = ['field', 'part', 'attribute', 'list', 'formula', 'cast', 'other'];
