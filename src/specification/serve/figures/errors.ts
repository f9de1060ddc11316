import type { ErrorFigures, ErrorLine, Rule } from '../../../../contract/specification.ts';
import { compareText } from '../../../catalog/names.ts';

/**
 * How often an error occurred, with the code of the error and its subject. The subject is empty if the call could not
 * determine it.
 */
export interface MetError extends ErrorFigures {
  name: string;
  /** The name of a constraint as schema.table.name, or of a function as name(types); an empty string for no subject. */
  subject: string;
}

/**
 * Adds the numbers of occurrences to the errors. An occurrence counts for the error that its subject names. Without a
 * known subject, it counts for the error of the code.
 */
export function errorsWithFigures(
  lines: readonly ErrorLine[],
  rules: readonly Rule[],
  met: readonly MetError[],
): ErrorLine[] {
  if (met.length === 0) return [...lines];
  const ruleOf = new Map(rules.map((rule) => [rule.id, rule]));
  const left = new Map<string, MetError>(met.map((one) => [`${one.name} ${one.subject}`, one]));
  const takenBySubject = lines.map((line) => {
    for (const subject of subjectsOf(line, ruleOf)) {
      const found = left.get(`${line.code} ${subject}`);
      if (found) return found;
    }
    return null;
  });
  for (const taken of takenBySubject) if (taken) left.delete(`${taken.name} ${taken.subject}`);
  const byCode = new Map<string, MetError[]>();
  for (const one of left.values()) byCode.set(one.name, [...(byCode.get(one.name) ?? []), one]);
  return lines.map((line, i) => {
    const own = takenBySubject[i];
    const found = own ? [own] : line.id.startsWith('code.') ? (byCode.get(line.code ?? '') ?? []) : [];
    return found.length === 0 ? line : { ...line, figures: summed(found) };
  });
}

/** Returns the names by which calls may report the subject of the error. */
function subjectsOf({ group, origin }: ErrorLine, ruleOf: ReadonlyMap<string, Rule>): string[] {
  if (origin === null) return [];
  switch (group) {
    case 'rule': {
      const rule = ruleOf.get(origin);
      return rule ? subjectsOfRule(rule) : [];
    }
    case 'function':
      // Calls report the name with or without its schema, so both are returned.
      return [origin, origin.replace(/^(?:"(?:[^"]|"")*"|[^".]+)\./, '')];
    default:
      return [unquoted(origin)];
  }
}

/** Returns the name that calls report for a violated rule: its constraint, or the field that must not be null. */
function subjectsOfRule({ entity, name, kind, fields }: Rule): string[] {
  const table = unquoted(entity);
  return kind === 'required' ? fields.map((field) => `${table}.${field}`) : [`${table}.${name}`];
}

/**
 * Returns the id of an entity such as `public."Order lines"` as calls report it, without quotes: public.Order lines.
 */
const unquoted = (id: string): string =>
  id.replace(/"((?:[^"]|"")*)"/g, (_, name: string) => name.replaceAll('""', '"'));

function summed(met: readonly MetError[]): ErrorFigures {
  const newest = [...met].sort((a, b) => compareText(b.last_at, a.last_at));
  const sum = (of: (one: MetError) => number) => met.reduce((total, one) => total + of(one), 0);
  return {
    hour: sum((one) => one.hour),
    day: sum((one) => one.day),
    week: sum((one) => one.week),
    hours: (met[0]?.hours ?? []).map((_, i) => sum((one) => one.hours[i] ?? 0)),
    last_at: newest[0]?.last_at ?? '',
    last_requests: newest.flatMap((one) => one.last_requests).slice(0, newest[0]?.last_requests.length),
  };
}
