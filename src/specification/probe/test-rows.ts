import type { Lookup } from '../../access/lookup.ts';
import type { FieldFact, RelationFact } from '../../catalog/entities.ts';
import { entityId, sqlName } from '../../catalog/names.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { readCondition } from '../../sql-reader/condition.ts';
import type { Expression, Operand } from '../../sql-reader/tree.ts';
import { allowedLengths, allowedValue } from '../render/types/allowed-values.ts';

/** The max number of references to follow from a table: rows are created in the referenced tables up to this depth. */
const DEEPEST = 3;

/** Plans rows for empty tables, as far as the catalog shows the form of a valid row. */
export class TestRows {
  readonly #look: Lookup;
  readonly #ids: readonly string[];

  /** @param ids The ids of the members that can own rows. */
  constructor(look: Lookup, ids: readonly string[]) {
    this.#ids = ids;
    this.#look = look;
  }

  /**
   * Returns the statements that create a row of each table, after the rows that it references. Among statements with
   * the same `insteadOf`, the first that succeeds is enough. A field that a sequence numbers gets a literal, so that no
   * number of the sequence is used.
   * @param ownersOf Returns the fields that contain the member's id.
   * @param filled True to add one more row of each table, with values for optional references and times.
   */
  statements(
    tables: readonly RelationFact[],
    ownersOf: (table: RelationFact) => readonly string[],
    filled: boolean,
  ): TestRowInsert[] {
    const plain = tables.flatMap((table) => this.#row(table, ownersOf, 0, new Set()));
    if (!filled) return plain;
    // The additional rows come last, because the rows that they reference exist by then.
    const more = tables.map((table) => ({
      ...this.#insert(table, ownersOf(table), { filled: true }),
      relation: table,
    }));
    return [...plain, ...more.map(({ sql, relation }) => ({ sql, relation, insteadOf: `${relation.oid} filled` }))];
  }

  #row(
    relation: RelationFact,
    ownersOf: (table: RelationFact) => readonly string[],
    depth: number,
    above: ReadonlySet<number>,
  ): TestRowInsert[] {
    const within = new Set([...above, relation.oid]);
    const sibling = depth < DEEPEST ? this.#sibling(relation, within) : null;
    const pointedTo = depth < DEEPEST ? this.#pointedTo(relation).filter(({ oid }) => !within.has(oid)) : [];
    const before = [...pointedTo, ...(sibling ? [sibling.relation] : [])].flatMap((target) =>
      this.#row(target, ownersOf, depth + 1, within),
    );
    const owners = ownersOf(relation);
    const steps = this.#pairs(relation).length > 0 ? STEPS : STEPS.slice(0, 1);
    const ways = [
      ...steps.map((step) => this.#insert(relation, owners, { step })),
      ...(sibling
        ? [
            this.#insert(relation, owners, { sibling }),
            ...steps.map((step) => this.#insert(relation, owners, { sibling, step })),
          ]
        : []),
    ];
    const insteadOf = `${relation.oid} ${depth}`;
    const missing = depth > 0 ? ` where not exists (select from ${entityId(relation.schema, relation.name)})` : '';
    const sqls = [...new Set(ways.map(({ sql, given }) => (given ? `${sql}${missing}` : sql)))];
    return [...before, ...sqls.map((sql) => ({ relation, sql, insteadOf }))];
  }

  #insert(relation: RelationFact, owners: readonly string[], way: Way): { sql: string; given: boolean } {
    const fields = (this.#look.fields.get(relation.oid) ?? []).filter((field) => field.generated === '');
    const values = new Map<string, string>();
    for (const field of fields) {
      const value = this.#likeSibling(field, way) ?? this.value(relation, field, owners, way.filled);
      if (value !== null) values.set(field.name, value);
    }
    for (const { low, high } of this.#pairs(relation)) {
      const from = values.get(low.name);
      const step = /^(timestamp|date|time|interval)/.test(high.type) ? `interval '${way.step}'` : '1';
      if (
        way.step === undefined ||
        from === undefined ||
        !/^(timestamp|date|time|interval|.*int|numeric)/.test(high.type)
      )
        continue;
      values.set(high.name, `(${from} + ${step})::${high.type}`);
    }
    const id = entityId(relation.schema, relation.name);
    if (values.size === 0) return { sql: `insert into ${id} default values`, given: false };
    const over = fields.some((field) => field.identity === 'a') ? ' overriding system value' : '';
    const into = `insert into ${id} (${[...values.keys()].map(sqlName).join(', ')})${over}`;
    const { sibling } = way;
    // Takes the values of the latest row of the sibling, because rows in the past can often not be changed.
    const from = sibling
      ? ` from (select * from ${entityId(sibling.relation.schema, sibling.relation.name)} order by ${sibling.fields.map((name) => `${sqlName(name)} desc`).join(', ')} limit 1) as ninefold_sibling`
      : '';
    return { sql: `${into} select ${[...values.values()].join(', ')}${from}`, given: true };
  }

  /**
   * Returns the value that a sibling table has for a field. For example, a booking must lie within a slot of its
   * resource.
   */
  #likeSibling(field: FieldFact, { sibling }: Way): string | null {
    if (!sibling) return null;
    const name = sibling.fields.includes(field.name) ? field.name : field.number === sibling.by ? sibling.key : null;
    return name === null ? null : `ninefold_sibling.${sqlName(name)}`;
  }

  /**
   * Finds a sibling: a table that references the same table as this one and has fields of the same name and type. At
   * least one of these fields must be required.
   */
  #sibling(relation: RelationFact, above: ReadonlySet<number>): Sibling | null {
    const mine = (this.#look.fields.get(relation.oid) ?? []).filter((field) => field.generated === '');
    for (const to of this.#look.constraints.get(relation.oid) ?? []) {
      if (to.kind !== 'f' || to.fields.length !== 1 || isUsersOid(this.#look.relations, to.target)) continue;
      for (const other of this.#look.pointing.get(to.target) ?? []) {
        const found = this.#look.relations.get(other.relation);
        if (!found || above.has(found.oid) || other.fields.length !== 1 || found.kind !== 'r') continue;
        const theirs = this.#look.fields.get(found.oid) ?? [];
        const shared = mine.filter((field) => {
          const same = theirs.find((one) => one.name === field.name && one.type === field.type);
          return (
            same !== undefined &&
            field.not_null &&
            field.default === null &&
            field.identity === '' &&
            !to.fields.includes(field.number)
          );
        });
        const key = theirs.find((one) => one.number === other.fields[0]);
        const [by] = to.fields;
        const times = shared.filter((field) => /^(timestamp|date|time|integer|bigint|numeric)/.test(field.type));
        if (key && by !== undefined && times.length > 0) {
          return { relation: found, fields: times.map((field) => field.name), by, key: key.name };
        }
      }
    }
    return null;
  }

  /** Returns the pairs of fields that a check orders: `starts_at < ends_at`. */
  #pairs(relation: RelationFact): { low: FieldFact; high: FieldFact }[] {
    const fields = this.#look.fields.get(relation.oid) ?? [];
    return (this.#look.constraints.get(relation.oid) ?? []).flatMap((one) =>
      one.kind === 'c' && one.expression !== null ? ordered(readCondition(one.expression), fields) : [],
    );
  }

  /** Returns a value for a field as SQL; null if the field needs no value because of its default. */
  value(relation: RelationFact, field: FieldFact, owners: readonly string[], filled = false): string | null {
    const place = owners.indexOf(field.name);
    // If a row has several member fields, they get the ids of different members, as far as there are enough.
    if (place >= 0) return `${quoteLiteral(this.#ids[place % this.#ids.length] ?? '')}::${field.type}`;
    const key = (this.#look.constraints.get(relation.oid) ?? []).find(
      (one) => one.kind === 'f' && one.fields.includes(field.number),
    );
    const target = key && this.#look.relations.get(key.target);
    if (key && target && (field.not_null || isUsers(target) || filled)) {
      const of = this.#look.fields
        .get(target.oid)
        ?.find((one) => one.number === key.target_fields[key.fields.indexOf(field.number)]);
      if (of) return `(select ${sqlName(of.name)} from ${entityId(target.schema, target.name)} limit 1)`;
    }
    const counts = field.identity !== '' || (field.needs?.sequences.length ?? 0) > 0;
    const isTime = filled && /^(timestamp|date)/.test(field.type);
    // The default may read the caller's session. Then it is null if the caller has no session, so a required field
    // needs a value.
    const fillsItself = field.default !== null && !(field.not_null && ofCaller.test(field.default));
    if (!counts && (fillsItself || !(field.not_null || isTime))) return null;
    return this.#fitting(relation, field, counts, filled);
  }

  /** Returns the tables that every row of this table must reference. */
  #pointedTo(relation: RelationFact): RelationFact[] {
    return (this.#look.constraints.get(relation.oid) ?? []).flatMap((one) => {
      const target = this.#look.relations.get(one.target);
      const fields = this.#look.fields.get(relation.oid) ?? [];
      const must =
        one.kind === 'f' && one.fields.every((number) => fields.find((field) => field.number === number)?.not_null);
      return must && target && target.oid !== relation.oid && !isUsers(target) ? [target] : [];
    });
  }

  /**
   * Returns a value that fits the type and the checks of a field.
   * @param another True if the value must differ from the value in the previous row.
   */
  #fitting(relation: RelationFact, field: FieldFact, counts: boolean, another: boolean): string {
    const cast = (text: string): string => `${quoteLiteral(text)}::${field.type}`;
    const type = this.#look.types.get(field.type_oid);
    if (type?.labels?.[0] !== undefined) return cast(type.labels[0]);
    const checks = (this.#look.constraints.get(relation.oid) ?? []).flatMap((one) =>
      one.kind === 'c' && one.expression !== null && one.fields.includes(field.number) ? [one.expression] : [],
    );
    for (const check of checks) {
      const allowed = allowedValue(readCondition(check), field.name);
      if (allowed !== null) return cast(allowed);
    }
    const base = type?.base_name ?? field.type;
    if (/^(small|big)?int|^integer/.test(base))
      return cast(String((counts ? (base === 'smallint' ? 31_007 : 2_000_000_007) : 1) + (another ? 1 : 0)));
    if (/^(numeric|real|double)/.test(base)) return cast('1');
    if (/\[\]$/.test(base)) return cast('{}');
    if (/^boolean/.test(base)) return cast('false');
    if (/^uuid/.test(base)) return cast(`0bad0000-0000-4000-8000-0000000000f${another ? 'e' : 'f'}`);
    if (/^jsonb?$/.test(base)) return cast('{}');
    if (/^(timestamp|date|time)/.test(base)) return `pg_catalog.now()::${field.type}`;
    if (/^interval/.test(base)) return cast('1 hour');
    if (/^bytea/.test(base)) return cast('\\x00');
    if (/^(inet|cidr)/.test(base)) return cast('127.0.0.1');
    if (/range/.test(base)) return cast('empty');
    const short = /^(?:character varying|character|bit)\((\d+)\)/.exec(base)?.[1];
    const row = another ? 'row-probe' : 'probe-row';
    const text = /mail/i.test(field.name) ? `${row}@example.com` : row;
    const [min, max] = allowedLengths(checks.map(readCondition), field.name);
    return cast(text.padEnd(min, '-').slice(0, Math.min(max, Number(short ?? text.length + min))));
  }
}

const ofCaller = /\bauth\.\w+\(|current_setting\(/;

/** The distances between two ordered fields that are tried one after another, as intervals. */
const STEPS = ['1 hour', '1 day', '30 minutes', '7 days', '1 minute'] as const;

export interface TestRowInsert {
  /** The table of the new row. */
  relation: RelationFact;
  sql: string;
  insteadOf: string;
}

/** Choices for the values of a row, which differ between alternative statements. */
interface Way {
  /** The distance between two ordered fields. If absent, each field gets its usual value. */
  step?: string;
  sibling?: Sibling;
  filled?: boolean;
}

interface Sibling {
  relation: RelationFact;
  /** The names of the fields that both tables have. */
  fields: readonly string[];
  /**
   * `by`: the number of the field that references the table that both tables reference. `key`: the name of the field of
   * the sibling that references this table.
   */
  by: number;
  key: string;
}

/** Returns the pairs of ordered fields in the parts of a condition that must all be true. */
function ordered(expression: Expression, fields: readonly FieldFact[]): { low: FieldFact; high: FieldFact }[] {
  if (expression.kind === 'and') return expression.items.flatMap((item) => ordered(item, fields));
  if (expression.kind !== 'compare' || !/^[<>]=?$/.test(expression.operator)) return [];
  const named = (operand: Operand) =>
    operand.kind === 'field' ? fields.find((field) => field.name === operand.name) : undefined;
  const [left, right] = [named(expression.left), named(expression.right)];
  if (!left || !right || left.type !== right.type) return [];
  return [expression.operator.startsWith('<') ? { low: left, high: right } : { low: right, high: left }];
}

const isUsersOid = (relations: ReadonlyMap<number, RelationFact>, oid: number): boolean => {
  const relation = relations.get(oid);
  return relation !== undefined && isUsers(relation);
};

const isUsers = (relation: RelationFact): boolean => relation.schema === 'auth' && relation.name === 'users';
