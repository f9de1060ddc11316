import type { PortalRule, PortalRuleSchema } from '../../../../../contract/portal.ts';
import type { Rule } from '../../../../../contract/specification.ts';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { brokenRule } from '../../../../fields/rules.ts';
import { isFigure, kindOf } from '../../../values/field-kind.ts';
import { typeInWords } from '../../../values/type-words.ts';

/** A part of a JSON Schema, as `GET …/types?format=json-schema` returns it. */
interface Schema extends PortalRuleSchema {
  readonly $comment?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/**
 * Reads the rules of the fields of one entity, which a page can check while a value is typed. Returns no rules for a
 * text that is no JSON Schema. Pure.
 * @param text The types of the entity as JSON Schema: one definition for new rows and one for changed rows.
 */
export function rulesIn(text: string): ReadonlyMap<string, readonly PortalRule[]> {
  let schema: Schema;
  try {
    schema = JSON.parse(text) as Schema;
  } catch {
    return new Map();
  }
  const definitions = Object.entries(schema.$defs ?? {}).sort(
    ([a], [b]) => Number(b.endsWith('.insert')) - Number(a.endsWith('.insert')),
  );
  const found = new Map<string, readonly PortalRule[]>();
  for (const [, { properties = {} }] of definitions) {
    for (const [name, property] of Object.entries(properties)) {
      const rules = (property.anyOf ?? [property]).flatMap(({ allOf = [] }) => allOf).map(ruleOf);
      if (!found.has(name)) found.set(name, rules);
    }
  }
  return found;
}

const ruleOf = ({ $comment: words = '', ...schema }: Schema): PortalRule => ({ name: '', words, schema });

/** Returns the words of the first rule that a value breaks, in PostgreSQL's text format; null if it breaks none. Pure. */
export function brokenBy(field: Field, rules: readonly PortalRule[] | undefined, value: string | null): string | null {
  if (value === null || rules === undefined || field.references) return null;
  return brokenRule({ rules }, isFigure(kindOf(field)) ? Number(value) : value);
}

/** Describes the valid values of a field: the app's rule in its own words, else the type. Pure. */
export function validWords(field: Field, rules: readonly Rule[]): string {
  const own = rules.filter(({ fields }) => fields.includes(field.name));
  const shown = own.find(({ comment }) => comment !== null) ?? own.find(({ kind }) => kind === 'check');
  return shown ? sentence(shown.comment ?? shown.words) : typeInWords(field);
}

/** Returns the words of a rule as a sentence. */
export const sentence = (words: string): string => {
  const text = words.slice(0, 1).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};
