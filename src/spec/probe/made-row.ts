import type { ConstraintFact, FieldFact, RelationFact } from '../../catalog/entities.ts';
import { quoteLiteral } from '../../database/statement.ts';
import type { Rights } from '../access/rights.ts';
import type { Facts } from '../facts.ts';
import { groupBy } from '../group.ts';
import { entityId, sqlName } from '../names.ts';
import { type Expression, parseExpression } from '../words/expression.ts';

/** Tables that a table points to, one within another, for which rows are made. */
const DEEPEST = 3;

/** Makes rows for tables that have none, as far as can be told what a row must be like. */
export class MadeRows {
  readonly #facts: Facts;
  readonly #rights: Rights;
  readonly #ids: readonly string[];
  readonly #relations: ReadonlyMap<number, RelationFact>;
  readonly #constraints: ReadonlyMap<number, readonly ConstraintFact[]>;

  /** `ids` are those of the members to whom rows can belong. */
  constructor(facts: Facts, rights: Rights, ids: readonly string[]) {
    this.#ids = ids;
    this.#facts = facts;
    this.#rights = rights;
    this.#relations = new Map(facts.relations.map((relation) => [relation.oid, relation]));
    this.#constraints = groupBy(facts.constraints, (constraint) => constraint.relation);
  }

  /**
   * The statements that make a row, those of the rows that it points to before it. `owners` are the fields that hold the
   * member. Numbers of sequences are given, not taken.
   */
  statements(relation: RelationFact, owners: readonly string[], depth = 0): string[] {
    const pointedTo = depth < DEEPEST ? this.#pointedTo(relation) : [];
    const before = pointedTo.flatMap((target) => this.statements(target, [], depth + 1));
    const fields = (this.#rights.fieldsOf.get(relation.oid) ?? []).filter((field) => field.generated === '');
    const values = fields.flatMap((field) => {
      const value = this.value(relation, field, owners);
      return value === null ? [] : [[sqlName(field.name), value] as const];
    });
    const over = fields.some((field) => field.identity === 'a') ? ' overriding system value' : '';
    const id = entityId(relation.schema, relation.name);
    const insert =
      values.length === 0
        ? `insert into ${id} default values`
        : `insert into ${id} (${values.map(([name]) => name).join(', ')})${over} select ${values.map(([, value]) => value).join(', ')}`;
    if (depth > 0 && values.length > 0) return [...before, `${insert} where not exists (select from ${id})`];
    return [...before, insert];
  }

  /** A value for a field as SQL; null where its default will do. */
  value(relation: RelationFact, field: FieldFact, owners: readonly string[]): string | null {
    const place = owners.indexOf(field.name);
    // Of several members of a row, each is another.
    if (place >= 0) return `${quoteLiteral(this.#ids[place % this.#ids.length] ?? '')}::${field.type}`;
    const key = (this.#constraints.get(relation.oid) ?? []).find(
      (one) => one.kind === 'f' && one.fields.includes(field.number),
    );
    const target = key && this.#relations.get(key.target);
    if (key && target && (field.not_null || isUsers(target))) {
      const of = this.#rights.fieldsOf
        .get(target.oid)
        ?.find((one) => one.number === key.target_fields[key.fields.indexOf(field.number)]);
      if (of) return `(select ${sqlName(of.name)} from ${entityId(target.schema, target.name)} limit 1)`;
    }
    const counts = field.identity !== '' || (field.needs?.sequences.length ?? 0) > 0;
    if (!counts && (field.default !== null || !field.not_null)) return null;
    return this.#fitting(relation, field, counts);
  }

  /** Tables whose rows this one's must point to. */
  #pointedTo(relation: RelationFact): RelationFact[] {
    return (this.#constraints.get(relation.oid) ?? []).flatMap((one) => {
      const target = this.#relations.get(one.target);
      const fields = this.#rights.fieldsOf.get(relation.oid) ?? [];
      const must =
        one.kind === 'f' && one.fields.every((number) => fields.find((field) => field.number === number)?.not_null);
      return must && target && target.oid !== relation.oid && !isUsers(target) ? [target] : [];
    });
  }

  #fitting(relation: RelationFact, field: FieldFact, counts: boolean): string {
    const cast = (text: string): string => `${quoteLiteral(text)}::${field.type}`;
    const type = this.#facts.types.find((one) => one.oid === field.type_oid);
    if (type?.labels?.[0] !== undefined) return cast(type.labels[0]);
    const checks = (this.#constraints.get(relation.oid) ?? []).flatMap((one) =>
      one.kind === 'c' && one.expression !== null && one.fields.includes(field.number) ? [one.expression] : [],
    );
    for (const check of checks) {
      const allowed = allowedValue(parseExpression(check), field.name);
      if (allowed !== null) return cast(allowed);
    }
    const base = type?.base_name ?? field.type;
    if (/^(small|big)?int|^integer/.test(base))
      return cast(counts ? (base === 'smallint' ? '31007' : '2000000007') : '1');
    if (/^(numeric|real|double)/.test(base)) return cast('1');
    if (/\[\]$/.test(base)) return cast('{}');
    if (/^boolean/.test(base)) return cast('false');
    if (/^uuid/.test(base)) return cast('0bad0000-0000-4000-8000-0000000000ff');
    if (/^jsonb?$/.test(base)) return cast('{}');
    if (/^(timestamp|date|time)/.test(base)) return `pg_catalog.now()::${field.type}`;
    if (/^interval/.test(base)) return cast('1 hour');
    if (/^bytea/.test(base)) return cast('\\x00');
    if (/^(inet|cidr)/.test(base)) return cast('127.0.0.1');
    if (/range/.test(base)) return cast('empty');
    const short = /^(?:character varying|character|bit)\((\d+)\)/.exec(base)?.[1];
    const text = /mail/i.test(field.name) ? 'probe@example.com' : 'probe-row';
    return cast(short === undefined ? text : text.slice(0, Number(short)));
  }
}

const isUsers = (relation: RelationFact): boolean => relation.schema === 'auth' && relation.name === 'users';

/** A value that a check allows for a field: `status in ('open', 'closed')`, `kind = 'a'`. */
function allowedValue(expression: Expression, name: string): string | null {
  switch (expression.kind) {
    case 'one-of': {
      const [first] = expression.values;
      const isField = expression.operand.kind === 'field' && expression.operand.name === name;
      return isField && first?.kind === 'literal' ? first.value : null;
    }
    case 'compare': {
      const { left, right, operator } = expression;
      const isField = left.kind === 'field' && left.name === name && right.kind === 'literal';
      if (!isField) return null;
      if (operator === '=' || operator === '>=' || operator === '<=') return right.value;
      const number = Number(right.value);
      return operator === '>' && Number.isFinite(number)
        ? String(number + 1)
        : operator === '<' && Number.isFinite(number)
          ? String(number - 1)
          : null;
    }
    case 'and':
    case 'or':
      for (const item of expression.items) {
        const value = allowedValue(item, name);
        if (value !== null) return value;
      }
      return null;
    default:
      return null;
  }
}
