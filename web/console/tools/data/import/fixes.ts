import type { Rule } from '../../../../../contract/specification.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Conflict, ImportedRow, RefusedRow } from '../../../data/rows/import-rows.ts';
import { kindOf } from '../../../values/field-kind.ts';
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

/** Groups the refused rows by the rule that they break, in the order of the file. Pure. */
export function refusedGroups(entity: Entity, refused: readonly RefusedRow[], rules: readonly Rule[]): RefusedGroup[] {
  const groups = new Map<string, { rule: Rule | null; field: Field | null; rows: RefusedRow[] }>();
  for (const one of refused) {
    const rule = violatedRule(one.error, rules);
    const field = fieldAtFault(entity, one, rule);
    const value = field && kindOf(field) === 'enum' ? one.row.values[field.name] : '';
    const key = JSON.stringify([rule?.id ?? one.error.code, field?.name ?? one.error.message, value]);
    const group = groups.get(key);
    if (group) group.rows.push(one);
    else groups.set(key, { rule, field, rows: [one] });
  }
  return [...groups].map(([key, { rule, field, rows }]) => ({
    ...{ key, rows, words: rule?.words ?? rows[0]?.error.message ?? '' },
    fixes: fixesOf(entity, rows, rule, field),
  }));
}

/** Returns the field that is to blame for a refused row; null if several fields may be, or if the error names no field. */
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
    return named.has(value);
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Reads the type and its length from "value too long for type character varying(20)", or from the type alone. */
function tooLong(message: string): { type: string; max: number } | null {
  const [, type, max] = /\b(character(?: varying)?\((\d+)\))/.exec(message) ?? [];
  return type === undefined ? null : { type, max: Number(max) };
}

function fixesOf(entity: Entity, rows: readonly RefusedRow[], rule: Rule | null, field: Field | null): Fix[] {
  const code = rows[0]?.error.code ?? '';
  const out: Fix = { label: rows.length === 1 ? 'Leave the row out' : 'Leave the rows out', change: () => null };
  if (code === '23505') return [...(rule ? conflictFixes(entity, rule) : []), out];
  return field && (rule || /^22/.test(code) || code === '23502') ? [...fieldFixes(rows, field), out] : [out];
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

/** Returns the fixes that change one field. A fix is offered only if it changes every row of the group. */
function fieldFixes(rows: readonly RefusedRow[], field: Field): Fix[] {
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
    for (const value of nearest(first, field.enum_values ?? [])) {
      fixes.push({ label: `Use ${value} for ${first}`, change: set(() => value) });
    }
  }
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
    .map((value) => ({ value, distance: editDistance(text.trim().toLowerCase(), value.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ value }) => value);

/** Returns the number of inserted, removed and replaced characters between two texts (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
