import type { Rule } from '../../../../../contract/specification.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Conflict, ImportedRow, RefusedRow } from '../../../queries/rows/import-rows.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { typeInWords } from '../../../values/type-words.ts';
import { distance } from '../../sql/editor/position.ts';
import { violatedRule } from '../editor/field-rule.tsx';

/** A change that a button makes: to the refused rows of a group, or to the plan of the whole import. */
export type Fix = { label: string } & (
  | { /** Returns the changed row; null leaves the row out. */ change: (row: ImportedRow) => ImportedRow | null }
  | { /** Applies to all rows of the import. */ conflict: Conflict }
);

/** Refused rows that break the same rule, and the fixes that are offered for this rule. */
export interface RefusedGroup {
  key: string;
  words: string;
  rows: readonly RefusedRow[];
  fixes: readonly Fix[];
}

/** The reason why a row is refused. */
export interface Refusal {
  rule: Rule | null;
  /** The only field that the row is about; null for several fields and for an error without a field. */
  field: Field | null;
  words: string;
}

/** Returns why a row is refused, in words of the app if it has some. Pure. */
export function refusalOf(entity: Entity, one: RefusedRow, rules: readonly Rule[]): Refusal {
  const rule = violatedRule(one.error, rules);
  const field = fieldAtFault(entity, one, rule);
  const text = field && one.row.values[field.name];
  const words =
    (field && one.error.code === '23502' ? `${field.name} has no value. Every row needs one.` : null) ??
    (field && typeof text === 'string' ? valueWords(field, text, one.error.code) : null) ??
    rule?.comment ??
    rule?.words ??
    one.error.message;
  return { rule, field, words };
}

/** Describes a value that does not fit its field; null if the rule of the app says it. */
function valueWords(field: Field, text: string, code: string): string | null {
  if (field.references && (code === '23503' || /^22/.test(code))) {
    return `${field.references.entity} has no row “${text}”.`;
  }
  if (code === '22001') return `${field.name} is too long. ${typeInWords({ ...field, nullable: true })}`;
  if (!/^22/.test(code)) return null;
  const values = field.enum_values ?? [];
  if (kindOf(field) === 'enum') return `“${text}” is no value of ${field.name}: ${values.join(', ')}.`;
  const fits = kindOf(field) === 'integer' ? 'A whole number.' : typeInWords({ ...field, nullable: true });
  return `“${text}” does not fit ${field.name}. ${fits}`;
}

/** Returns the texts of references that no row has, by field. Pure. */
export function unknownReferences(
  entity: Entity,
  refused: readonly RefusedRow[],
  rules: readonly Rule[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const one of refused) {
    const { field } = refusalOf(entity, one, rules);
    const text = field?.references ? one.row.values[field.name] : null;
    if (field && typeof text === 'string') found.set(field.name, (found.get(field.name) ?? new Set()).add(text));
  }
  return new Map([...found].map(([name, texts]) => [name, [...texts]]));
}

/** Keys of rows that a reference can name, by field and label. */
export type ReferenceKeys = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Returns the refused rows by the rule that they break, in the order of the file. Pure. */
export function refusedGroups(
  entity: Entity,
  refused: readonly RefusedRow[],
  rules: readonly Rule[],
  references: ReferenceKeys,
): RefusedGroup[] {
  const groups = new Map<string, Refusal & { rows: RefusedRow[] }>();
  for (const one of refused) {
    const refusal = refusalOf(entity, one, rules);
    const { rule, field } = refusal;
    const value = field && (field.references || kindOf(field) === 'enum') ? one.row.values[field.name] : '';
    const key = JSON.stringify([rule?.id ?? one.error.code, field?.name ?? one.error.message, value]);
    const group = groups.get(key);
    if (group) group.rows.push(one);
    else groups.set(key, { ...refusal, rows: [one] });
  }
  return [...groups].map(([key, { rule, field, rows, words }]) => ({
    ...{ key, rows, words },
    fixes: fixesOf(entity, rows, rule, field, references),
  }));
}

function fieldAtFault({ fields }: Entity, { row, error }: RefusedRow, rule: Rule | null): Field | null {
  if (rule) return rule.fields.length === 1 ? (fields.find(({ name }) => name === rule.fields[0]) ?? null) : null;
  if (!/^2[23]/.test(error.code)) return null;
  const length = tooLong(error.message);
  const named = new Set([...error.message.matchAll(/"((?:[^"]|"")*)"/g)].map(([, text]) => text));
  const found = fields.filter(({ name, type }) => {
    const value = row.values[name];
    if (error.code === '23502') return named.has(name);
    if (typeof value !== 'string') return false;
    if (error.code === '22001') return type === length?.type && [...value].length > length.max;
    // PostgreSQL does not escape quotes in a value.
    return error.message.includes(`"${value}"`);
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Reads the type and its length from "value too long for type character varying(20)", or from the type alone. */
function tooLong(message: string): { type: string; max: number } | null {
  const [, type, max] = /\b(character(?: varying)?\((\d+)\))/.exec(message) ?? [];
  return type === undefined ? null : { type, max: Number(max) };
}

function fixesOf(
  entity: Entity,
  rows: readonly RefusedRow[],
  rule: Rule | null,
  field: Field | null,
  references: ReferenceKeys,
): Fix[] {
  const code = rows[0]?.error.code ?? '';
  const out: Fix = { label: rows.length === 1 ? 'Leave the row out' : 'Leave the rows out', change: () => null };
  if (code === '23505') return [...(rule ? conflictFixes(entity, rule) : []), out];
  return field && (rule || /^22/.test(code) || code === '23502')
    ? [...fieldFixes(rows, field, references), out]
    : [out];
}

/**
 * Returns the fixes for rows whose key already exists. ON CONFLICT needs all fields of a key, so other fields and
 * partial indexes have no fix.
 */
function conflictFixes({ primary_key, unique_keys, writable }: Entity, { fields, sql }: Rule): Fix[] {
  const isKey = [primary_key, ...unique_keys].some((key) => key.length > 0 && key.join('\0') === fields.join('\0'));
  if (!isKey || / WHERE /.test(sql)) return [];
  const skip: Fix = { label: 'Skip rows that exist', conflict: { fields, resolution: 'ignore' } };
  const update: Fix = { label: 'Update rows that exist', conflict: { fields, resolution: 'merge' } };
  return writable.update ? [skip, update] : [skip];
}

/** Returns the fixes that change one field. Only fixes that change every row of the group are offered. */
function fieldFixes(rows: readonly RefusedRow[], field: Field, references: ReferenceKeys): Fix[] {
  const { name } = field;
  const values = rows.map(({ row }) => row.values[name] ?? null);
  const all = (test: (value: string) => boolean) => values.every((value) => value !== null && test(value));
  const set = (to: (value: string) => string | null) => (row: ImportedRow) => ({
    ...row,
    values: { ...row.values, [name]: to(row.values[name] ?? '') },
  });
  const fixes: Fix[] = [];
  if (all((value) => value !== value.trim() && value.trim() !== '')) {
    fixes.push({ label: `Trim blanks of ${name}`, change: set((value) => value.trim()) });
  }
  const length = tooLong(field.base_type ?? field.type);
  if (length && all((value) => [...value].length > length.max)) {
    fixes.push({
      label: `Cut ${name} to ${length.max} characters`,
      change: set((value) => [...value].slice(0, length.max).join('')),
    });
  }
  const [first] = values;
  if (kindOf(field) === 'enum' && typeof first === 'string') {
    const near = nearestLabel(first, field.enum_values ?? []);
    for (const value of near === null ? nearest(first, field.enum_values ?? []) : [near]) {
      fixes.push({ label: `Use ${value} for ${first}`, change: set(() => value) });
    }
  }
  const keys = references.get(name);
  const label = keys && typeof first === 'string' ? nearestLabel(first, [...keys.keys()]) : null;
  const target = label === null ? undefined : keys?.get(label);
  if (target !== undefined) fixes.push({ label: `Use ${label} for ${first}`, change: set(() => target) });
  if (field.default !== null) {
    fixes.push({
      label: `Use the default of ${name}`,
      change: (row) => ({
        ...row,
        values: Object.fromEntries(Object.entries(row.values).filter(([other]) => other !== name)),
      }),
    });
  }
  if (field.nullable && values.every((value) => value !== null)) {
    fixes.push({ label: `Empty ${name}`, change: set(() => null) });
  }
  return fixes;
}

/** Returns up to three values, the most similar first. Pure. */
export const nearest = (text: string, values: readonly string[]): string[] =>
  values
    .map((value) => ({ value, away: distance(text.trim().toLowerCase(), value.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ value }) => value);

/** Returns the most similar label, if at most half of the characters differ; otherwise null. Pure. */
export function nearestLabel(text: string, labels: readonly string[]): string | null {
  const [label] = nearest(text, labels);
  if (label === undefined) return null;
  const away = distance(text.trim().toLowerCase(), label.toLowerCase());
  return away * 2 <= Math.max(text.trim().length, label.length) ? label : null;
}
