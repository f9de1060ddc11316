import type { Rule, RulesChapter } from '../../contract/specification.ts';
import type {
  ConstraintFact,
  FieldFact,
  PartitionConstraintFact,
  RelationFact,
  TypeFact,
  UniqueIndexFact,
} from '../catalog/entities.ts';
import { isTold } from './entities.ts';
import type { Facts } from './facts.ts';
import { groupBy } from './group.ts';
import { byName, compareText, entityId, sqlName } from './names.ts';
import { parseExpression } from './words/expression.ts';
import { anyone } from './words/outcomes.ts';
import { phrase } from './words/phrase.ts';
import { domainRuleWords, ruleWords } from './words/rule.ts';

/** Chapter 5: what is valid. Every constraint, unique index, domain and limited type of the app's tables. */
export function rulesChapter(facts: Facts): RulesChapter {
  const look = new Look(facts);
  const relations = facts.relations
    .filter((relation) => isTold(facts, relation.schema) && !relation.is_partition && /[rpf]/.test(relation.kind))
    .sort(byName);
  return {
    rules: relations.flatMap((relation) => rulesOf(look, relation)),
    sources: [
      { kind: 'catalogue', label: 'pg_constraint: what each table and domain asks', sql: constraintsSql },
      { kind: 'catalogue', label: 'pg_index: unique indexes', sql: 'select indexdef from pg_indexes order by 1' },
      { kind: 'catalogue', label: 'pg_attribute, pg_type: required fields, lengths, the values of enums' },
      { kind: 'catalogue', label: 'comment on constraint: the words' },
    ],
  };
}

class Look {
  readonly fields: ReadonlyMap<number, readonly FieldFact[]>;
  readonly constraints: ReadonlyMap<number, readonly ConstraintFact[]>;
  readonly domains: ReadonlyMap<number, readonly ConstraintFact[]>;
  readonly partitions: ReadonlyMap<number, readonly PartitionConstraintFact[]>;
  readonly indexes: ReadonlyMap<number, readonly UniqueIndexFact[]>;
  readonly types: ReadonlyMap<number, TypeFact>;
  readonly relations: ReadonlyMap<number, RelationFact>;

  constructor(facts: Facts) {
    this.fields = groupBy(facts.fields, (field) => field.relation);
    this.constraints = groupBy(facts.constraints, (constraint) => constraint.relation);
    this.domains = groupBy(facts.constraints, (constraint) => constraint.domain);
    this.partitions = groupBy(facts.partition_constraints, (constraint) => constraint.relation);
    this.indexes = groupBy(facts.unique_indexes, (index) => index.relation);
    this.types = new Map(facts.types.map((type) => [type.oid, type]));
    this.relations = new Map(facts.relations.map((relation) => [relation.oid, relation]));
  }

  names(relation: number, numbers: readonly number[]): string[] {
    const fields = this.fields.get(relation) ?? [];
    return numbers.flatMap((number) => fields.find((field) => field.number === number)?.name ?? []);
  }
}

type Part = Omit<Rule, 'id' | 'entity' | 'commented'> & { comment?: string | null };

function rulesOf(look: Look, relation: RelationFact): Rule[] {
  const fields = look.fields.get(relation.oid) ?? [];
  const constraints = look.constraints.get(relation.oid) ?? [];
  const key = constraints.find((one) => one.kind === 'p')?.fields ?? [];
  const entity = entityId(relation.schema, relation.name);
  const ofFields = fields.flatMap((field) => [
    ...required(field, constraints, key.includes(field.number), entity),
    ...typeRules(look, field),
  ]);
  const ofRows = [
    ...constraints.filter((one) => one.kind !== 'n').map((one) => constraintRule(look, relation, one)),
    ...(look.partitions.get(relation.oid) ?? []).map(partitionRule),
    ...(look.indexes.get(relation.oid) ?? []).map((index) => indexRule(look, relation, index)),
  ].sort((a, b) => compareText(a.name, b.name));
  return [
    ...ofFields.map((part) => rule(entity, `${entity}.${sqlName(part.fields[0] ?? '')}.${sqlName(part.name)}`, part)),
    ...ofRows.map((part) => rule(entity, `${entity}.${sqlName(part.name)}`, part)),
  ];
}

function rule(entity: string, id: string, { comment, words, ...part }: Part): Rule {
  const commented = comment !== undefined && comment !== null;
  return { id, entity, ...part, words: commented ? comment : words, commented };
}

/** A field that must have a value. Keys say so themselves, and what the database fills in need not be given. */
function required(field: FieldFact, constraints: readonly ConstraintFact[], isKey: boolean, entity: string): Part[] {
  if (!field.not_null || isKey || field.identity !== '' || field.generated !== '') return [];
  // A constraint of its own since PostgreSQL 18; before, a mark on the field.
  const own = constraints.find((one) => one.kind === 'n' && one.fields.includes(field.number));
  return [
    {
      name: own?.name ?? 'required',
      kind: 'required',
      fields: [field.name],
      words: `${field.name} has a value`,
      comment: own?.comment ?? null,
      sql: `alter table ${entity} alter column ${sqlName(field.name)} set not null`,
      applies_to: own ? appliesTo(own) : 'all rows',
      sqlstate: '23502',
    },
  ];
}

/** What the type of a field leaves out: other values than an enum's, longer texts, larger numbers, a domain's rules. */
function typeRules(look: Look, field: FieldFact): Part[] {
  const type = look.types.get(field.type_oid);
  const common: Pick<Part, 'kind' | 'fields' | 'sql' | 'applies_to'> = {
    kind: 'type',
    fields: [field.name],
    sql: `${sqlName(field.name)} ${field.type}`,
    applies_to: 'all rows',
  };
  if (type?.kind === 'd') return domainRules(look, field, type);
  const values = type?.kind === 'e' ? type.labels : type?.is_array ? look.types.get(type.base)?.labels : null;
  if (type && values) {
    const subject = type.is_array ? `each element of ${field.name}` : field.name;
    const words = `${subject} is one of ${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')}`;
    return [{ ...common, name: type.name, words, sqlstate: '22P02' }];
  }
  const limits = sizeWords(field.type);
  return limits === null
    ? []
    : [{ ...common, name: 'type', words: `${field.name} ${limits.words}`, sqlstate: limits.sqlstate }];
}

/** The size that a type with a modifier allows. */
function sizeWords(type: string): { words: string; sqlstate: string } | null {
  const [, name = '', first = '', second] =
    /^(character varying|character|bit varying|bit|numeric)\((\d+)(?:,(-?\d+))?\)$/.exec(type) ?? [];
  const unit = name.startsWith('bit') ? 'bits' : 'characters';
  if (name === 'numeric') {
    const after = Number(second ?? 0);
    if (after < 0 || after > Number(first)) return { words: `fits ${type}`, sqlstate: '22003' };
    return {
      words: `has at most ${Number(first) - after} digits before the point and ${after} after it`,
      sqlstate: '22003',
    };
  }
  if (name === '') return null;
  const exactly = name === 'bit';
  return { words: `is ${exactly ? 'exactly' : 'at most'} ${first} ${unit}`, sqlstate: exactly ? '22026' : '22001' };
}

/** The rules of a domain and of those beneath it, said of the field. */
function domainRules(look: Look, field: FieldFact, type: TypeFact): Part[] {
  const beneath = look.types.get(type.base);
  const name = sqlName(field.name);
  const own = (look.domains.get(type.oid) ?? []).filter((one) => one.kind === 'c');
  const parts = own.map(
    (one): Part => ({
      name: one.name,
      kind: 'check',
      fields: [field.name],
      words: one.expression === null ? one.definition : domainRuleWords(one.expression, field.name),
      comment: one.comment,
      sql: `${type.name} ${one.definition}`,
      applies_to: appliesTo(one),
      sqlstate: '23514',
    }),
  );
  const needed: Part[] = type.not_null
    ? [
        {
          name: `${type.name} not null`,
          kind: 'required',
          fields: [field.name],
          words: `${field.name} has a value`,
          sql: `${type.name} NOT NULL`,
          applies_to: 'all rows',
          sqlstate: '23502',
        },
      ]
    : [];
  const size = type.base_name === null ? null : sizeWords(type.base_name);
  const sized: Part[] = size
    ? [
        {
          name: `${type.name} type`,
          kind: 'type',
          fields: [field.name],
          words: `${field.name} ${size.words}`,
          sql: `${name} ${type.name}`,
          applies_to: 'all rows',
          sqlstate: size.sqlstate,
        },
      ]
    : [];
  const inner = beneath ? typeRules(look, { ...field, type: beneath.name, type_oid: beneath.oid }) : [];
  return [...needed, ...parts, ...sized, ...inner];
}

const appliesTo = (constraint: Pick<ConstraintFact, 'enforced' | 'validated'>): Rule['applies_to'] =>
  !constraint.enforced ? 'no row' : constraint.validated ? 'all rows' : 'new and changed rows';

const kinds = { p: 'primary key', u: 'unique', f: 'reference', c: 'check', x: 'exclusion', n: 'required' } as const;
const sqlstates = { p: '23505', u: '23505', f: '23503', c: '23514', x: '23P01', n: '23502' } as const;

function constraintRule(look: Look, relation: RelationFact, constraint: ConstraintFact): Part {
  const fields = look.names(relation.oid, constraint.fields);
  return {
    name: constraint.name,
    kind: kinds[constraint.kind],
    fields,
    words: `${constraintWords(look, constraint, fields)}${timing(constraint.definition)}`,
    comment: constraint.comment,
    sql: constraint.definition,
    applies_to: appliesTo(constraint),
    sqlstate: sqlstates[constraint.kind],
  };
}

/** When it is asked, where that is not at once (SET CONSTRAINTS). */
const timing = (definition: string): string =>
  / INITIALLY DEFERRED\b/.test(definition)
    ? ', asked at the end of the transaction'
    : / DEFERRABLE\b/.test(definition)
      ? ', asked at once unless the transaction puts it off'
      : '';

/** What a partition alone asks. Rows come to it through its table, so it is a rule of the table. */
function partitionRule(constraint: PartitionConstraintFact): Part {
  const { definition, expression, fields, kind, name, partition } = constraint;
  const words =
    kind === 'n' ? `${fields.join(', ')} has a value` : expression === null ? definition : ruleWords(expression);
  return {
    name: `${partition}.${name}`,
    kind: kinds[kind],
    fields,
    words: `of rows in ${partition}: ${words}`,
    comment: constraint.comment,
    sql: definition,
    applies_to: appliesTo(constraint),
    sqlstate: sqlstates[kind],
  };
}

function constraintWords(look: Look, constraint: ConstraintFact, fields: readonly string[]): string {
  const list = fields.join(', ');
  // Keys over periods (WITHOUT OVERLAPS, PERIOD) compare otherwise than by equality.
  const temporal = /\b(WITHOUT OVERLAPS|PERIOD)\b/.test(constraint.definition);
  if (temporal || constraint.kind === 'x') return constraint.definition;
  switch (constraint.kind) {
    case 'p':
      return fields.length === 1
        ? `${list} has a value that no other row has`
        : `${list} have values that together no other row has`;
    case 'u':
      return uniqueWords(fields, null, constraint.definition.startsWith('UNIQUE NULLS NOT DISTINCT'));
    case 'f': {
      const target = look.relations.get(constraint.target);
      const there = look.names(constraint.target, constraint.target_fields).join(', ');
      const name = target ? `${target.schema}.${target.name}` : 'another table';
      return `${list} ${fields.length === 1 ? 'is' : 'are'} the ${there} of a row in ${name}`;
    }
    default:
      return constraint.expression === null ? constraint.definition : ruleWords(constraint.expression);
  }
}

function uniqueWords(keys: readonly string[], condition: string | null, emptyToo: boolean): string {
  const where = condition === null ? '' : `, among those where ${condition}`;
  return `no two rows have the same ${keys.join(', ')}${where}${emptyToo ? '; no value counts as a value' : ''}`;
}

function indexRule(look: Look, relation: RelationFact, index: UniqueIndexFact): Part {
  const fields = look.names(relation.oid, index.fields);
  const keys = index.keys.map((key, i) => look.names(relation.oid, [index.fields[i] ?? 0])[0] ?? key);
  const condition = index.condition === null ? null : phrase(parseExpression(index.condition), anyone);
  return {
    name: index.name,
    kind: 'unique',
    fields,
    words: uniqueWords(keys, condition, index.nulls_not_distinct),
    comment: index.comment,
    sql: index.definition,
    applies_to: 'all rows',
    sqlstate: '23505',
  };
}

const constraintsSql = `select coalesce(conrelid::regclass::text, contypid::regtype::text) as of, conname as name,
  pg_get_constraintdef(oid) as rule, obj_description(oid, 'pg_constraint') as words
from pg_constraint order by 1, 2`;
