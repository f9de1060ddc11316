import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import type { ConstraintFact } from '../../../catalog/constraints.ts';
import type { FieldFact, TypeFact } from '../../../catalog/entities.ts';
import { groupBy } from '../../../catalog/group.ts';
import { readCondition } from '../../../sql-reader/condition.ts';
import type { Expression, Operand } from '../../../sql-reader/tree.ts';
import { entitiesChapter } from '../../derive/chapters/entities/entities.ts';
import { Entries } from '../../derive/entries.ts';
import { isArrayLength, trimmedField } from '../../derive/words/counts.ts';
import { domainRuleWords, ruleWords } from '../../derive/words/rule.ts';
import type { TypeFacts } from './facts.ts';
import { translateLike, translatePattern } from './pattern.ts';
import { bareType, baseOf, NamedTypes, type Shape } from './type-names.ts';
import { mustBeGiven } from './typescript.ts';
import { type Asked, COUNTED, type InputRule, jsonKinds } from './value-rules.ts';

/** Digits that a double stores exactly. */
const DOUBLE_DIGITS = 15;

/** The max number of nested domains whose checks are described. */
const DOMAINS = 200;

/** The facts from which inputs are derived: `TypeFacts` without the schema cache. */
export type InputFacts = Omit<TypeFacts, 'catalog'>;

/**
 * The accepted values of an entity, as far as they can be described correctly. The description never refuses a value
 * that PostgreSQL would accept.
 */
export interface Input {
  entity: Entity;
  /** The fields for an INSERT and for an UPDATE. */
  insert: InputField[];
  update: InputField[];
}

export interface InputField {
  field: Field;
  shape: Shape;
  /** True if PostgreSQL computes the value, so that a statement must not set it. */
  isMade: boolean;
  isNullable: boolean;
  /** True if an INSERT must set the field. Always false for an UPDATE. */
  isRequired: boolean;
  rules: InputRule[];
}

/**
 * Returns the inputs of the writable entities in exposed schemas. A BEFORE trigger may change the written row, and a
 * rewrite rule may do anything. For such tables, only the rules of types and domains are included. State machines are
 * known to change only their own fields.
 * @param only The id of one entity; null for all.
 */
export function inputs(types: InputFacts, only: string | null = null): Input[] {
  const { entities } = entitiesChapter(new Entries(types.facts));
  const source = new InputSource(types);
  return entities
    .filter(
      ({ id, exposed, writable }) => exposed && (writable.insert || writable.update) && (only === null || id === only),
    )
    .map((entity) => ({ entity, insert: source.insert(entity), update: source.update(entity) }));
}

/** The stored values of a text field, as far as checks limit them. */
export interface StoredText {
  readonly values: readonly string[] | null;
  readonly most: number | null;
}

/** The accepted values of the fields of an entity, derived when they are needed. */
export class InputSource {
  readonly #types: InputFacts;
  readonly #domains: Domains;

  constructor(types: InputFacts) {
    this.#types = types;
    this.#domains = new Domains(types, new NamedTypes(types.named_types));
  }

  insert(entity: Entity): InputField[] {
    return this.#fields(entity, INSERT);
  }

  update(entity: Entity): InputField[] {
    return this.#fields(entity, UPDATE);
  }

  /**
   * Returns the values that the checks on each text field of an entity, and the checks of its domain, list, and the max
   * number of characters: `level in ('low', 'high')`. A trigger may change the written value, but the stored value
   * passes the checks.
   */
  storedTexts(entity: Entity): ReadonlyMap<string, StoredText> {
    const { constraints, fields } = lookAt(this.#types, entity, INSERT);
    return new Map(
      entity.fields.flatMap((field): [string, StoredText][] => {
        const fact = fields.get(field.name);
        const base = bareType(baseOf(field.type, this.#domains.named));
        if (!fact || !isText(base)) return [];
        const checks = constraints.filter((one) => one.fields.length === 1 && one.fields[0] === fact.number);
        const rules = [
          ...(this.#domains.asked(fact.type_oid, field.name)?.rules ?? []),
          ...checks.flatMap((check) => checkRules(check, field.name, field.name, base)),
        ];
        const [first, ...others] = rules.flatMap((rule) => (rule.kind === 'values' ? [rule.values] : []));
        const values = first?.filter((value) => others.every((list) => list.includes(value))) ?? null;
        const bounds = rules.flatMap((rule) => (rule.kind === 'characters' && rule.most !== null ? [rule.most] : []));
        return [[field.name, { values, most: bounds.length > 0 ? Math.min(...bounds) : null }]];
      }),
    );
  }

  #fields(entity: Entity, event: number): InputField[] {
    const look = lookAt(this.#types, entity, event);
    return entity.fields.map((field) => inputField(look, field, this.#domains));
  }
}

interface Look {
  event: number;
  oid: number;
  isView: boolean;
  /** Fields that a trigger or rule may change before PostgreSQL checks the row; null for all fields. */
  mended: ReadonlySet<string> | null;
  constraints: ConstraintFact[];
  /** The fields of the relation, by their name. */
  fields: ReadonlyMap<string, FieldFact>;
  /** The numbers of the fields with a nondeterministic collation. */
  loose: ReadonlySet<number>;
}

const [BEFORE, INSERT, UPDATE, INSTEAD] = [2, 4, 16, 64];

function lookAt({ facts, loose_fields }: InputFacts, { schema, name }: Entity, event: number): Look {
  const relation = facts.relations.find((one) => one.schema === schema && one.name === name);
  const oid = relation?.oid ?? 0;
  // An UPDATE of a partitioned table may move a row to another partition. PostgreSQL then inserts the row there, so the
  // triggers for INSERT also run.
  const events = relation?.kind === 'p' ? event | INSERT : event;
  const mending = facts.triggers.filter(
    (trigger) =>
      trigger.relation === oid &&
      trigger.enabled &&
      (trigger.events & (BEFORE | INSTEAD)) !== 0 &&
      (trigger.events & events) !== 0,
  );
  // A trigger of a state machine may change only the state field and the fields that its transitions set.
  const machines = facts.machines.filter((machine) => machine.relation === oid);
  const known = machines.flatMap((machine) => [machine.field, ...machine.transitions.flatMap(({ sets }) => sets)]);
  const isKnown = mending.every(({ sql }) => /EXECUTE FUNCTION ninefold\.\w+\('[^'()]*'\)$/.test(sql));
  return {
    event,
    oid,
    isView: relation?.kind === 'v',
    mended: isKnown && (relation?.replaced.length ?? 0) === 0 ? new Set(known) : null,
    constraints: facts.constraints.filter((one) => one.relation === oid && one.kind === 'c' && one.enforced),
    fields: new Map(facts.fields.filter((one) => one.relation === oid).map((one) => [one.name, one])),
    loose: new Set(loose_fields.filter((one) => one.relation === oid).map((one) => one.field)),
  };
}

function inputField(look: Look, field: Field, domains: Domains): InputField {
  const { named } = domains;
  const fact = look.fields.get(field.name);
  const asked = domains.asked(fact?.type_oid ?? 0, field.name);
  const base = baseOf(field.type, named);
  const isLoose = fact !== undefined && look.loose.has(fact.number);
  const isFree = look.isView || (look.mended?.has(field.name) ?? true);
  const own = isFree ? [] : look.constraints.filter((one) => one.fields.length === 1 && one.fields[0] === fact?.number);
  const rules = [
    ...(asked?.rules ?? []),
    ...own.flatMap((check) => checkRules(check, field.name, field.name, base)),
  ].filter((rule) => !isLoose || !isSpelled(rule));
  return {
    field,
    shape: named.shapeOf(field.type, (type, subject) => domains.askedByName(type, subject)),
    isMade: field.computed === true || field.generated !== null || field.identity === 'always',
    isNullable: asked?.isNeeded ? false : field.nullable || isFree,
    isRequired: look.event === INSERT && mustBeGiven(field) && !isFree,
    rules,
  };
}

/** The domains of an app and their rules. */
class Domains {
  readonly named: NamedTypes;
  readonly #types: ReadonlyMap<number, TypeFact>;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #checks: ReadonlyMap<number, readonly ConstraintFact[]>;

  constructor({ facts }: InputFacts, named: NamedTypes) {
    this.named = named;
    this.#types = new Map(facts.types.map((type) => [type.oid, type]));
    this.#numbers = new Map(facts.types.map((type) => [type.name, type.oid]));
    this.#checks = groupBy(
      facts.constraints.filter((one) => one.kind === 'c' && one.enforced),
      (one) => one.domain,
    );
  }

  /**
   * Returns the rules of a domain and of its base domains; null for a type that is no domain.
   * @param subject The name of the value in words.
   */
  asked(oid: number, subject: string): Asked | null {
    const domains = this.#beneath(oid);
    const [first] = domains;
    if (!first) return null;
    const base = baseOf(first.name, this.named);
    const rules = domains.flatMap((type) =>
      (this.#checks.get(type.oid) ?? [])
        .flatMap((check) => checkRules(check, 'VALUE', subject, base))
        .filter((rule) => !type.loose || !isSpelled(rule)),
    );
    return { rules, isNeeded: domains.some((type) => type.not_null) };
  }

  /** Returns the rules of a domain by its name, as PostgreSQL prints it. */
  askedByName(type: string, subject: string): Asked | null {
    return this.asked(this.#numbers.get(type) ?? 0, subject);
  }

  /** Returns the domain and its base domains. */
  #beneath(oid: number): TypeFact[] {
    const found: TypeFact[] = [];
    for (
      let type = this.#types.get(oid);
      type?.kind === 'd' && found.length < DOMAINS;
      type = this.#types.get(type.base)
    ) {
      found.push(type);
    }
    return found;
  }
}

/**
 * Returns true for a rule on the characters of a text. If the collation treats different texts as equal, such a rule
 * would refuse texts that PostgreSQL accepts.
 */
const isSpelled = ({ kind }: InputRule): boolean => kind === 'pattern' || kind === 'values';

function checkRules(check: ConstraintFact, name: string, subject: string, base: string): InputRule[] {
  if (check.expression === null) return [];
  const words =
    check.comment ?? (name === 'VALUE' ? domainRuleWords(check.expression, subject) : ruleWords(check.expression));
  const expression = readCondition(check.expression);
  const parts = expression.kind === 'and' ? expression.items : [expression];
  return parts.flatMap((part) =>
    partRules(part, name, base).map((rule): InputRule => ({ ...rule, name: check.name, words })),
  );
}

type Bare = InputRule extends infer Rule ? (Rule extends InputRule ? Omit<Rule, 'name' | 'words'> : never) : never;

/** Returns the rules that a condition on one field describes; an empty list if the condition is not understood. */
function partRules(part: Expression, name: string, base: string): Bare[] {
  if (part.kind === 'or') {
    // A null value passes every check, so "x is null or …" limits only the values that are not null. The rest of the
    // condition describes them.
    const rest = part.items.filter((item) => !(item.kind === 'null' && !item.negated && isField(item.operand, name)));
    const [only] = rest;
    return rest.length === 1 && rest.length < part.items.length && only ? partRules(only, name, base) : [];
  }
  const type = bareType(base);
  if (type === 'json' || type === 'jsonb') return jsonRules(part, name);
  if (part.kind === 'one-of' && isField(part.operand, name) && isText(type)) {
    const values = part.values.map((value) => (value.kind === 'literal' && value.plain ? value.value : null));
    return values.every((value) => value !== null) ? textRule({ kind: 'values', values }, base) : [];
  }
  if (part.kind !== 'compare') return [];
  const { left, right, operator } = part;
  const cased = isText(type) && operator === '=' ? caseRule(left, right, name) : null;
  if (cased) return textRule(cased, base);
  const turned = left.kind === 'literal' && right.kind !== 'literal';
  const [subject, object] = turned ? [right, left] : [left, right];
  if (object.kind !== 'literal') return [];
  if (operator === '<>' && object.value === '' && isText(type)) {
    if (isField(subject, name)) return [{ kind: 'characters', least: 1, most: null }];
    return trimmedField(subject) === name ? [notBlank] : [];
  }
  if (isField(subject, name) && isText(type)) {
    if (operator === '=' && object.plain) return textRule({ kind: 'values', values: [object.value] }, base);
    const pattern = turned ? null : patternOf(operator, object.value);
    return pattern === null ? [] : textRule({ kind: 'pattern', pattern }, base);
  }
  if (isField(subject, name) && type === 'character') {
    const pattern = turned ? null : patternOf(operator, object.value);
    return pattern === null ? [] : filledRule(pattern, base);
  }
  const bound = boundOf(operator, turned);
  const value = numberOf(object.value);
  if (!bound || value === null) return [];
  if (isField(subject, name)) return numberRules(bound, value, base);
  return countRules(subject, bound, value, name, base);
}

/** Reads `jsonb_typeof(meta) = 'object'`, or a comparison with several kinds. */
function jsonRules(part: Expression, name: string): Bare[] {
  if (part.kind !== 'one-of' && !(part.kind === 'compare' && part.operator === '=')) return [];
  const [subject, objects] = part.kind === 'one-of' ? [part.operand, part.values] : [part.left, [part.right]];
  const isAsked = subject.kind === 'call' && /^jsonb?_typeof$/.test(subject.name) && subject.arguments.length === 1;
  const [of] = isAsked ? subject.arguments : [];
  const values = objects.map((one) => (one.kind === 'literal' ? one.value : null));
  if (!of || !isField(of, name) || values.includes(null)) return [];
  return [{ kind: 'json', kinds: jsonKinds.filter((kind) => values.includes(kind)) }];
}

const isField = (operand: Operand, name: string): boolean =>
  operand.kind === 'field' &&
  operand.qualifier === null &&
  (operand.name === name || (name === 'VALUE' && operand.name === 'value'));

/** Returns true for types whose values are compared as they are written. */
const isText = (type: string): boolean => type === 'text' || type === 'character varying';

/**
 * PostgreSQL removes trailing spaces of a text that is too long for its type before it checks the text. So the pattern
 * also accepts longer texts.
 */
function textRule(rule: Extract<Bare, { kind: 'pattern' | 'values' }>, base: string): Bare[] {
  const [, size] = /^character varying\((\d+)\)$/.exec(base) ?? [];
  if (size === undefined) return [rule];
  if (Number(size) >= COUNTED) return [];
  const pattern = rule.kind === 'pattern' ? rule.pattern : `^(?:${rule.values.map(escaped).join('|')})$`;
  return [{ kind: 'pattern', pattern: `${pattern}|^[\\s\\S]{${Number(size) + 1}}` }];
}

/**
 * PostgreSQL pads a character(n) with spaces before it checks the value. So the pattern also accepts every text of
 * another length.
 */
function filledRule(pattern: string, base: string): Bare[] {
  const size = Number(/^character\((\d+)\)$/.exec(base)?.[1] ?? COUNTED);
  if (size >= COUNTED) return [];
  return [{ kind: 'pattern', pattern: `${pattern}|^[\\s\\S]{0,${size - 1}}$|^[\\s\\S]{${size + 1}}` }];
}

/**
 * Reads `code = upper(code)`. The rule covers only ASCII letters, because only they have an upper and a lower case in
 * every locale.
 */
function caseRule(left: Operand, right: Operand, name: string): Extract<Bare, { kind: 'pattern' }> | null {
  const [field, call] = left.kind === 'call' ? [right, left] : [left, right];
  if (call.kind !== 'call' || call.arguments.length !== 1 || !isField(field, name)) return null;
  const [of] = call.arguments;
  const letters = call.name === 'upper' ? 'a-z' : call.name === 'lower' ? 'A-Z' : null;
  return letters === null || of === undefined || !isField(of, name)
    ? null
    : { kind: 'pattern', pattern: `^[^${letters}]*$` };
}

const escaped = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');

function patternOf(operator: string, source: string): string | null {
  switch (operator) {
    case '~':
    case '~*':
      return translatePattern(source, operator === '~*');
    case '~~':
    case '~~*':
      return translateLike(source, operator === '~~*');
    default:
      return null;
  }
}

/** A limit of a value. The operator `=` sets both limits. */
type Bound = { side: 'least' | 'most' | 'both'; isOpen: boolean };

function boundOf(operator: string, turned: boolean): Bound | null {
  if (operator === '=') return { side: 'both', isOpen: false };
  if (!/^[<>]=?$/.test(operator)) return null;
  return { side: operator.startsWith('>') === turned ? 'most' : 'least', isOpen: operator.length === 1 };
}

/**
 * Returns a number that JavaScript and PostgreSQL represent equally: at most 15 digits. Returns null for other texts.
 */
function numberOf(text: string): number | null {
  if (!/^-?\d+(\.\d+)?$/.test(text) || text.replace(/\D/g, '').length > DOUBLE_DIGITS) return null;
  return Number(text);
}

function numberRules({ side, isOpen }: Bound, value: number, base: string): Bare[] {
  if (side === 'both') return [];
  if (/^(smallint|integer|bigint|double precision|numeric)$/.test(base)) return [{ kind: side, value, isOpen }];
  const [, digits, scale] = /^numeric\((\d+),(\d+)\)$/.exec(base) ?? [];
  // PostgreSQL rounds the value before it checks the value, so the limit moves by half a step of the last digit.
  if (scale === undefined || Number(digits) > 14 || Number(scale) > Number(digits)) return [];
  const half = 0.5 * 10 ** -Number(scale);
  const isOnGrid = Number(value.toFixed(Number(scale))) === value;
  const towards = side === 'least' ? 1 : -1;
  const edge = value + towards * (isOpen && isOnGrid ? half : -half);
  return [{ kind: side, value: Number(edge.toFixed(Number(scale) + 1)), isOpen: false }];
}

/** The rule that a text must contain a character other than a space. */
const notBlank: Bare = { kind: 'pattern', pattern: '[^ ]' };

function countRules(subject: Operand, { side, isOpen }: Bound, value: number, name: string, base: string): Bare[] {
  if (subject.kind !== 'call' || !Number.isInteger(value)) return [];
  const [argument] = subject.arguments;
  // array_length of an empty array is null, and null satisfies a check, so an empty array is allowed too.
  const orNone = isArrayLength(subject);
  if (!argument || (subject.arguments.length !== 1 && !orNone)) return [];
  const isLength = /^(length|char_length|character_length)$/.test(subject.name);
  if (isLength && isText(bareType(base)) && trimmedField(argument) === name)
    return side === 'least' && (isOpen ? value >= 0 : value > 0) ? [notBlank] : [];
  if (!isField(argument, name)) return [];
  const min = side === 'most' ? null : isOpen ? value + 1 : value;
  const max = side === 'least' ? null : isOpen ? value - 1 : value;
  if ((orNone || subject.name === 'cardinality') && base.endsWith('[]'))
    return [{ kind: 'elements', least: min, most: max, orNone }];
  if (!isLength) return [];
  if (base === 'text' || base === 'character varying') return [{ kind: 'characters', least: min, most: max }];
  // PostgreSQL removes excess trailing spaces before the check. So a maximum length limits the sent text only if it is
  // smaller than the size of the type.
  const [, size] = /^character varying\((\d+)\)$/.exec(base) ?? [];
  if (size === undefined) return [];
  return [{ kind: 'characters', least: min, most: max !== null && max < Number(size) ? max : null }];
}
