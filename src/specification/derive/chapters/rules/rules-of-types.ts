import type { Rule } from '../../../../../contract/specification.ts';
import type { Reads } from '../../../../access/fact-indexes.ts';
import type { ConstraintFact } from '../../../../catalog/constraints.ts';
import type { FieldFact, TypeFact } from '../../../../catalog/entities.ts';
import { sqlName } from '../../../../catalog/names.ts';
import { domainRuleWords, ruleWords } from '../../words/rule.ts';
import { MOST_OF_A_TYPE } from '../entities/entities.ts';

/** A rule without its entity. `path` becomes part of the id and distinguishes the rule from others of the same name. */
export type Part = Omit<Rule, 'id' | 'entity' | 'comment'> & { comment?: string | null; path?: readonly string[] };

/** The app's types and the constraints of its domains, by id. */
export type Types = Reads<'types' | 'domains'>;

/**
 * Returns the rules of a field's type: enum values, text lengths, number sizes and domain constraints. Includes the
 * parts of arrays, ranges and composite types, at every depth.
 */
export function typeRules(types: Types, field: FieldFact): Part[] {
  const walk = new Walk(types, field);
  const parts = walk.parts({ words: field.name, path: [], within: null }, field.type, field.type_oid);
  if (!walk.isCut) return parts;
  const words = `${field.name} is what its type ${field.type} allows; this chapter does not list all of its rules`;
  return [...parts, { ...walk.common, name: 'more', words, sqlstate: '23514' }];
}

/** The subject of a rule: a field or a part of a field. */
interface Subject {
  /** Words for the subject: "title", "each element of tags", "street of address". */
  words: string;
  /** The attributes of composite types that lead to the subject. */
  path: readonly string[];
  /**
   * For an attribute: words for the composite value that contains it. The attribute exists only if this value is not
   * null.
   */
  within: string | null;
  /** True for a bound of a range. An infinite bound is not a null value. */
  isBound?: true;
}

class Walk {
  readonly #types: Types;
  readonly #field: FieldFact;
  readonly common: Pick<Part, 'kind' | 'fields' | 'sql' | 'applies_to'>;
  #left = MOST_OF_A_TYPE;

  constructor(types: Types, field: FieldFact) {
    this.#types = types;
    this.#field = field;
    this.common = {
      kind: 'type',
      fields: [field.name],
      sql: `${sqlName(field.name)} ${field.type}`,
      applies_to: 'all rows',
    };
  }

  get isCut(): boolean {
    return this.#left < 0;
  }

  /** Returns the rules of a type. `type` is the name with its modifier, as PostgreSQL prints it. */
  parts(subject: Subject, type: string, oid: number): Part[] {
    const fact = this.#types.types.get(oid);
    if (this.#left-- <= 0) return [];
    if (!fact) return this.#sized(subject, type, 'type');
    const base = this.#types.types.get(fact.base);
    switch (fact.kind) {
      case 'd':
        return this.#domain(subject, fact);
      case 'e':
        return this.#values(subject, fact.name, type, fact.labels);
      case 'c':
        return (fact.parts ?? []).flatMap((part) => {
          const within = subject.words === this.#field.name ? subject.words : 'that';
          const inner = { words: `${part.name} of ${subject.words}`, path: [...subject.path, part.name], within };
          return this.parts(inner, part.type, part.type_oid);
        });
      case 'r':
        return this.parts({ ...within(subject, 'each bound'), isBound: true }, base?.name ?? '', fact.base);
      case 'm':
        return this.parts({ ...within(subject, 'each bound'), isBound: true }, base?.name ?? '', fact.base);
      default: {
        const element = within(subject, 'each element');
        // The rule gets the name of the array type, because the field has this type.
        if (base?.kind === 'e') return this.#values(element, fact.name, type, base.labels);
        return fact.is_array
          ? this.parts(element, type.replace(/\[\]$/, ''), fact.base)
          : this.#sized(subject, type, 'type');
      }
    }
  }

  #values(subject: Subject, name: string, type: string, labels: readonly string[] | null): Part[] {
    const list = (labels ?? []).map((value) => `'${value.replaceAll("'", "''")}'`).join(', ');
    const sql = `${sqlName(this.#field.name)} ${type}`;
    return [
      this.#part(subject, {
        ...this.common,
        sql,
        name,
        words: `${subject.words} is one of ${list}`,
        sqlstate: '22P02',
      }),
    ];
  }

  #sized(subject: Subject, type: string, name: string): Part[] {
    const size = sizeWords(type.replace(/\[\]$/, ''));
    if (size === null) return [];
    const { words } = type.endsWith('[]') ? within(subject, 'each element') : subject;
    return [this.#part(subject, { ...this.common, name, words: `${words} ${size.words}`, sqlstate: size.sqlstate })];
  }

  /** Returns the rules of a domain and its base domains, in words about the field. */
  #domain(subject: Subject, type: TypeFact): Part[] {
    const { common } = this;
    const own = (this.#types.domains.get(type.oid) ?? []).filter((one) => one.kind === 'c');
    const checks = own.map((one) =>
      this.#part(subject, {
        ...common,
        name: one.name,
        kind: 'check',
        words:
          one.expression === null
            ? one.definition
            : checkWords(one.expression, subject, this.#field, this.#beneath(type)),
        comment: one.comment,
        sql: `${type.name} ${one.definition}`,
        applies_to: appliesTo(one),
        sqlstate: '23514',
      }),
    );
    const required = type.not_null && !subject.isBound;
    const there = subject.within === null ? '' : ` where ${subject.within} has one`;
    const needed = this.#part(subject, {
      ...common,
      name: `${type.name} not null`,
      kind: 'required',
      words: `${subject.words} has a value${there}`,
      comment: type.not_null_comment,
      sql: `${type.name} NOT NULL`,
      sqlstate: '23502',
    });
    const sized = this.#sized(subject, type.base_name ?? '', `${type.name} type`).map((part) => ({
      ...part,
      sql: `${sqlName(this.#field.name)} ${type.name}`,
    }));
    const base = this.#types.types.get(type.base);
    const inner = base ? this.parts(subject, type.base_name ?? base.name, type.base) : [];
    return [...(required ? [needed] : []), ...checks, ...sized, ...inner];
  }

  /** Returns the type below all domains, which is not a domain itself. */
  #beneath(type: TypeFact): string {
    const base = this.#types.types.get(type.base);
    return base?.kind === 'd' ? this.#beneath(base) : (type.base_name ?? '');
  }

  #part({ path }: Subject, part: Part): Part {
    return path.length === 0 ? part : { ...part, path };
  }
}

const within = (subject: Subject, what: string): Subject => ({
  words: `${what} of ${subject.words}`,
  path: subject.path,
  within: null,
});

function checkWords(check: string, subject: Subject, field: FieldFact, type: string): string {
  const words = domainRuleWords(check, subject.words, type);
  // If the words still contain SQL, and the subject is only a part of a field, the words show the SQL with VALUE. In
  // this SQL, VALUE is the subject.
  return subject.words !== field.name && words.includes(sqlName(subject.words))
    ? `of ${subject.words} as VALUE: ${ruleWords(check)}`
    : words;
}

/** Returns the rows to which a constraint applies. */
export const appliesTo = (constraint: Pick<ConstraintFact, 'enforced' | 'validated'>): Rule['applies_to'] =>
  !constraint.enforced ? 'no row' : constraint.validated ? 'all rows' : 'new and changed rows';

/** Returns the words for the size limit of a type with a modifier; null without a limit. */
function sizeWords(type: string): { words: string; sqlstate: string } | null {
  const [, dimensions] = /(?:^|\.)(?:vector|halfvec|sparsevec)\((\d+)\)$/.exec(type) ?? [];
  if (dimensions !== undefined) return { words: `has ${counted(Number(dimensions), 'dimension')}`, sqlstate: '22000' };
  const [, name = '', first = '', second] =
    /^(character varying|character|bit varying|bit|numeric)\((\d+)(?:,(-?\d+))?\)$/.exec(type) ?? [];
  const unit = name.startsWith('bit') ? 'bit' : 'character';
  if (name === 'numeric') {
    const after = Number(second ?? 0);
    if (after < 0 || after > Number(first)) return { words: `fits ${type}`, sqlstate: '22003' };
    return {
      words: `has at most ${counted(Number(first) - after, 'digit')} before the point and ${after} after it`,
      sqlstate: '22003',
    };
  }
  if (name === '') return null;
  const exactly = name === 'bit';
  return {
    words: `is ${exactly ? 'exactly' : 'at most'} ${counted(Number(first), unit)}`,
    sqlstate: exactly ? '22026' : '22001',
  };
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
