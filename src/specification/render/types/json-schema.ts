import type { Entity } from '../../../../contract/specification-entities.ts';
import type { TypeFacts } from './facts.ts';
import { type InputField, inputs } from './input.ts';
import type { Shape } from './type-names.ts';
import { type Asked, COUNTED, type InputRule, type ValueRule, valueRule } from './value-rules.ts';
import { inputName } from './zod.ts';

export type JsonSchema = { [keyword: string]: unknown };

/**
 * Returns a JSON Schema 2020-12 document. `$defs` contains one schema for inserts into each entity and one for updates:
 * `tickets.insert`. A schema refuses only values that PostgreSQL refuses too.
 * @param only The id of one entity; null for all.
 */
export function jsonSchemas(types: TypeFacts, ref: string, only: string | null = null): string {
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:ninefold:${ref}`,
    $defs: Object.fromEntries(inputSchemas(types, only).map(({ name, schema }) => [name, schema])),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns the schemas for inserts and updates of each entity, by name: `tickets.insert`. */
export function inputSchemas(
  types: TypeFacts,
  only: string | null = null,
): { name: string; entity: string; operation: 'insert' | 'update'; schema: JsonSchema }[] {
  const [defaultSchema] = types.facts.exposedSchemas;
  return inputs(types, only).flatMap((input) => {
    const name = inputName(input, defaultSchema);
    const entity = input.entity.id;
    return [
      { name: `${name}.insert`, entity, operation: 'insert', schema: entitySchema(input.entity, input.insert) },
      { name: `${name}.update`, entity, operation: 'update', schema: entitySchema(input.entity, input.update) },
    ];
  });
}

function entitySchema(entity: Entity, fields: readonly InputField[]): JsonSchema {
  const given = fields.filter((field) => !field.isMade);
  const required = given.filter(({ isRequired }) => isRequired).map(({ field }) => field.name);
  return {
    title: entity.name,
    ...(entity.comment !== null && { description: entity.comment }),
    type: 'object',
    // Object.fromEntries defines own properties, so it is safe for a field that is named __proto__.
    properties: Object.fromEntries(given.map((field) => [field.field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function fieldSchema({ field, shape, isNullable, rules }: InputField): JsonSchema {
  const schema = withRules(shapeSchema(shape), rules);
  const described = field.comment === null ? schema : { description: field.comment, ...schema };
  if (!isNullable) return described;
  const { description, ...value } = described;
  const isAnything = Object.keys(value).length === 0;
  return {
    ...(description !== undefined && { description }),
    ...(isAnything ? {} : { anyOf: [value, { type: 'null' }] }),
  };
}

/** Returns the schema of a value of any PostgreSQL type as JSON. */
export function shapeSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'number': {
      const rule = valueRule(shape.type);
      return { type: rule?.kind === 'whole' ? 'integer' : 'number', ...keywordsOf(rule) };
    }
    case 'text':
      return { type: 'string', $comment: shape.type, ...keywordsOf(valueRule(shape.type)) };
    case 'boolean':
      return { type: 'boolean' };
    case 'array':
      return { type: 'array', items: innerSchema(shape.element, shape.asked) };
    case 'enum':
      return { type: 'string', enum: shape.type.labels ?? [] };
    case 'composite': {
      const properties = shape.attributes.map((one) => [one.name, innerSchema(one.shape, one.asked)] as const);
      const required = shape.attributes.filter(({ asked }) => asked?.isNeeded).map(({ name }) => name);
      const schema = { type: 'object', properties: Object.fromEntries(properties) };
      return required.length > 0 ? { ...schema, required } : schema;
    }
    case 'row':
    case 'record':
      return { type: 'object' };
    case 'void':
      return { type: 'null' };
    case 'json':
    case 'unknown':
    case 'cut':
      return {};
  }
}

function innerSchema(shape: Shape, asked: Asked | undefined): JsonSchema {
  const schema = withRules(shapeSchema(shape), asked?.rules ?? []);
  return asked?.isNeeded ? schema : nullable(schema);
}

const nullable = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };

function keywordsOf(rule: ValueRule | null): JsonSchema {
  switch (rule?.kind) {
    case 'whole':
      return { minimum: rule.least, maximum: rule.most };
    case 'within':
      return { exclusiveMinimum: -rule.edge, exclusiveMaximum: rule.edge };
    case 'pattern':
      return { pattern: rule.pattern };
    case 'size':
      return rule.most <= COUNTED ? { pattern: `^[\\s\\S]{0,${rule.most}} *$` } : {};
    default:
      return {};
  }
}

/** Adds each rule as a separate schema, because two rules may use the same keyword with different values. */
function withRules(schema: JsonSchema, rules: readonly InputRule[]): JsonSchema {
  const all = rules.map((rule) => ({ ...ruleKeywords(rule), $comment: rule.words }));
  return all.length === 0 ? schema : { ...schema, allOf: all };
}

/** Returns the keywords that are equivalent to a rule. */
export function ruleKeywords(rule: InputRule): JsonSchema {
  switch (rule.kind) {
    case 'characters':
      return bounds('Length', rule.least, rule.most);
    case 'elements': {
      const asked = bounds('Items', rule.least, rule.most);
      return rule.orNone ? { anyOf: [{ maxItems: 0 }, asked] } : asked;
    }
    case 'json':
      return { type: rule.kinds };
    case 'least':
      return { [rule.isOpen ? 'exclusiveMinimum' : 'minimum']: rule.value };
    case 'most':
      return { [rule.isOpen ? 'exclusiveMaximum' : 'maximum']: rule.value };
    case 'pattern':
      return { pattern: rule.pattern };
    case 'values':
      return { enum: rule.values };
  }
}

const bounds = (what: 'Length' | 'Items', min: number | null, max: number | null): JsonSchema => ({
  ...(min !== null && { [`min${what}`]: Math.max(0, min) }),
  // No text has a negative length. So a negative maximum refuses every text, which only `not: {}` can express in JSON
  // Schema.
  ...(max !== null && (max >= 0 ? { [`max${what}`]: max } : { not: {} })),
});
