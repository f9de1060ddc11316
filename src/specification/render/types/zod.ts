import type { TypeFacts } from './facts.ts';
import { type Input, type InputField, inputs } from './input.ts';
import type { Shape } from './type-names.ts';
import { type Asked, type InputRule, type JsonKind, valueRule } from './value-rules.ts';

/**
 * Returns a module with zod 4 schemas for inserts and updates of each entity: `schemas.tickets.insert`. A schema
 * refuses only values that PostgreSQL refuses too, so a form can check values before it sends them. PostgreSQL checks
 * the remaining rules.
 * @param only The id of one entity; null for all.
 */
export function zodSchemas(types: TypeFacts, only: string | null = null): string {
  const [defaultSchema] = types.facts.exposedSchemas;
  const entries = inputs(types, only).map(
    (input) => `  ${key(inputName(input, defaultSchema))}: {\n${indent(entitySchemas(input))}\n  },`,
  );
  const body = `export const schemas = {\n${entries.join('\n')}\n};\n`;
  // The module of a single entity is shown to readers, so it contains only the helpers that it needs.
  const needed = helpers.filter(({ name }) => only === null || body.includes(`${name}(`)).map(({ code }) => code);
  return [`import { z } from 'zod';\n`, ...needed, body].join('\n');
}

const helpers = [
  {
    name: 'characters',
    code: `/** Characters as PostgreSQL counts them: an emoji is one. */
const characters = (text: string): number => Array.from(text).length;
`,
  },
  {
    name: 'orNull',
    code: `/** PostgreSQL takes null for any element of an array, which the types of supabase-js do not say. */
const orNull = <T extends z.ZodType>(schema: T): T => schema.nullable() as unknown as T;
`,
  },
];

/** Returns the name of an entity, without the schema if it is the default schema. */
export const inputName = ({ entity }: Input, defaultSchema: string | undefined): string =>
  entity.schema === defaultSchema ? entity.name : `${entity.schema}.${entity.name}`;

function entitySchemas(input: Input): string {
  const fields = (of: readonly InputField[]) =>
    of.map((field) => `  ${key(field.field.name)}: ${fieldSchema(field)},`).join('\n');
  return [
    ...comment(input.entity.comment),
    `insert: z.strictObject({\n${fields(input.insert)}\n}),`,
    `update: z.strictObject({\n${fields(input.update)}\n}),`,
  ].join('\n');
}

function fieldSchema(input: InputField): string {
  if (input.isMade) return 'z.never().optional()';
  const value = withRules(input.shape, input.rules);
  const nullable = input.isNullable ? '.nullable()' : '';
  return `${value}${nullable}${input.isRequired ? '' : '.optional()'}`;
}

const withRules = (shape: Shape, rules: Asked['rules'] = []): string =>
  `${shapeSchema(shape)}${rules.map(ruleCall).join('')}`;

function shapeSchema(shape: Shape): string {
  switch (shape.kind) {
    case 'number': {
      const rule = valueRule(shape.type);
      if (rule?.kind === 'whole') {
        return `z.number().multipleOf(1, 'a whole number').gte(${rule.least}).lte(${rule.most})`;
      }
      return rule?.kind === 'within' ? `z.number().gt(${-rule.edge}).lt(${rule.edge})` : 'z.number()';
    }
    case 'text': {
      const rule = valueRule(shape.type);
      if (rule?.kind === 'pattern') return `z.string().regex(${regex(rule.pattern)}, ${text(rule.words)})`;
      if (rule?.kind !== 'size') return 'z.string()';
      const words = `at most ${rule.most} characters`;
      return `z.string().refine((value) => characters(value.replace(/ +$/, '')) <= ${rule.most}, ${text(words)})`;
    }
    case 'boolean':
      return 'z.boolean()';
    case 'json':
      return 'z.json()';
    case 'array': {
      const element = withRules(shape.element, shape.asked?.rules);
      return `z.array(${shape.asked?.isNeeded ? element : `orNull(${element})`})`;
    }
    case 'enum':
      return `z.enum([${(shape.type.labels ?? []).map(text).join(', ')}])`;
    case 'composite': {
      const attributes = shape.attributes.map(
        ({ name, shape: inner, asked }) =>
          `${key(name)}: ${withRules(inner, asked?.rules)}${asked?.isNeeded ? '' : '.nullable().default(null)'}`,
      );
      return `z.object({ ${attributes.join(', ')} })`;
    }
    case 'row':
    case 'record':
    case 'cut':
      return 'z.any()';
    case 'void':
    case 'unknown':
      return 'z.unknown()';
  }
}

function ruleCall(rule: InputRule): string {
  const words = text(rule.words);
  switch (rule.kind) {
    case 'characters':
    case 'elements': {
      const count = rule.kind === 'characters' ? 'characters(value)' : 'value.length';
      const bounds = [
        ...(rule.least === null ? [] : [`${count} >= ${rule.least}`]),
        ...(rule.most === null ? [] : [`${count} <= ${rule.most}`]),
      ];
      const none = rule.kind === 'elements' && rule.orNone ? 'value.length === 0 || ' : '';
      const asked = none !== '' && bounds.length > 1 ? `(${bounds.join(' && ')})` : bounds.join(' && ');
      return bounds.length === 0 ? '' : `.refine((value) => ${none}${asked}, ${words})`;
    }
    case 'least':
      return `.${rule.isOpen ? 'gt' : 'gte'}(${rule.value}, ${words})`;
    case 'most':
      return `.${rule.isOpen ? 'lt' : 'lte'}(${rule.value}, ${words})`;
    case 'pattern':
      return `.regex(${regex(rule.pattern)}, ${words})`;
    case 'json':
      return `.refine((value) => ${rule.kinds.map((kind) => jsonTests[kind]).join(' || ') || 'false'}, ${words})`;
    case 'values':
      return `.refine((value) => [${rule.values.map(text).join(', ')}].includes(value), ${words})`;
  }
}

const jsonTests: Readonly<Record<JsonKind, string>> = {
  object: "(typeof value === 'object' && value !== null && !Array.isArray(value))",
  array: 'Array.isArray(value)',
  string: "typeof value === 'string'",
  number: "typeof value === 'number'",
  boolean: "typeof value === 'boolean'",
  null: 'value === null',
};

const text = (value: string): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** Returns a RegExp constructor call, so that the pattern stays text. */
const regex = (pattern: string): string => `new RegExp(${text(pattern)}, 'u')`;

/** Returns the name of a property. `__proto__` must be a computed name, because a plain key would set the prototype. */
const key = (name: string): string => {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name);
};

const comment = (words: string | null): string[] =>
  words === null ? [] : [`/** ${words.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim()} */`];

const indent = (value: string): string => value.replace(/^(?=.)/gm, '    ');
