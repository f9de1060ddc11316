import type { Rule } from '../../contract/specification.ts';
import type { ConstraintFact } from '../catalog/constraints.ts';
import type { FieldFact, TypeFact } from '../catalog/entities.ts';
import { MOST_OF_A_TYPE } from './entities.ts';
import { sqlName } from './names.ts';
import { domainRuleWords, ruleWords } from './words/rule.ts';

/** A rule before its entity is known. `path` sets it apart from others of its name: it becomes part of the id. */
export type Part = Omit<Rule, 'id' | 'entity' | 'commented'> & { comment?: string | null; path?: readonly string[] };

/** The app's types and the constraints of its domains, by their numbers. */
export interface Types {
  readonly types: ReadonlyMap<number, TypeFact>;
  readonly domains: ReadonlyMap<number, readonly ConstraintFact[]>;
}

/**
 * What the type of a field leaves out: other values than an enum's, longer texts, larger numbers, what breaks a domain; in arrays, ranges
 * and composite types too, at every depth.
 */
export function typeRules(types: Types, field: FieldFact): Part[] {
  const walk = new Walk(types, field);
  const parts = walk.parts({ words: field.name, path: [], within: null }, field.type, field.type_oid);
  if (!walk.isCut) return parts;
  const words = `${field.name} is what its type ${field.type} takes: more than is told here`;
  return [...parts, { ...walk.common, name: 'more', words, sqlstate: '23514' }];
}

/** What a rule is about: a field, or something in it. */
interface Subject {
  /** "title", "each element of tags", "street of address". */
  words: string;
  /** Attributes of composite types on the way to it. */
  path: readonly string[];
  /** Of attributes: what must have a value for them to be there. */
  within: string | null;
  /** Bounds of ranges: none is no value. */
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

  /** `type` is as PostgreSQL prints it, with its modifier. */
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
        // Named for the array, which is the type of the field.
        if (base?.kind === 'e') return this.#values(element, fact.name, type, base.labels);
        return fact.is_array ? this.parts(element, type.replace(/\[\]$/, ''), fact.base) : [];
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

  /** The rules of a domain and of those beneath it, said of the field. */
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

  /** The type beneath a domain that is none. */
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
  // What stays SQL keeps its VALUE, where that is no field.
  return subject.words !== field.name && words.includes(sqlName(subject.words))
    ? `of ${subject.words} as VALUE: ${ruleWords(check)}`
    : words;
}

export const appliesTo = (constraint: Pick<ConstraintFact, 'enforced' | 'validated'>): Rule['applies_to'] =>
  !constraint.enforced ? 'no row' : constraint.validated ? 'all rows' : 'new and changed rows';

/** The size that a type with a modifier allows. */
function sizeWords(type: string): { words: string; sqlstate: string } | null {
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
