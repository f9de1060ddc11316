import { limits } from '../../../contract/limits.ts';
import { type ComputedPart, CUT } from '../../../contract/portal.ts';
import type { ReadNode } from '../plan/plan.ts';
import { countText } from '../sql/read.ts';
import { columnText, type Params } from '../sql/text.ts';
import type { Period } from './period.ts';

/** Bytes up to which a value is sent completely, and characters that are sent of a longer one. */
const VALUE_BYTES = 400;
const CUT_CHARACTERS = 100;

/** Matches a JSON number that may have more digits than JavaScript can represent. */
const LONG_NUMBER = '^-?[0-9.]{16,}$';

/**
 * Returns the SQL of a part: one row with one JSON value. `over` is compared and grouped as a date in the time zone of
 * the session.
 * @param read The rows of the part, with its filter and its period.
 */
export function partText(part: ComputedPart, read: ReadNode, period: Period, params: Params): string {
  const column = (name: string) => columnText(read.alias === null ? read.relation : { alias: read.alias }, name);
  const columns = [
    ...(part.of === null ? [] : [`${column(part.of)} AS "of"`]),
    ...('by' in part && part.by !== null ? [`${column(part.by)} AS "by"`] : []),
    ...('over' in part && part.over !== null ? [`${column(part.over)}::date AS "at"`] : []),
  ];
  const rows = `WITH part_rows AS (${countText(read, params, columns.length === 0 ? '1' : columns.join(', '))})`;
  const value = part.value === 'count' ? 'count(*)' : `${part.value}("of")`;
  switch (part.kind) {
    case 'number':
      return `${rows} ${numberText(value, part.over === null ? null : period, params)}`;
    case 'bars':
      return `${rows}, ${barsText(value, params)}`;
    case 'line':
      return `${rows}, ${lineText(value, part.by !== null, period, params)}`;
  }
}

/**
 * Returns a value as JSON. Cuts a long one, because every reader of the page receives it. A number that JavaScript may
 * not represent is a string.
 */
const jsonText = (value: string): string => `CASE
  WHEN octet_length(${value}::text) > ${VALUE_BYTES} THEN to_json(left(${value}::text, ${CUT_CHARACTERS}) || '${CUT}')
  WHEN to_json(${value})::text ~ '${LONG_NUMBER}' THEN to_json(${value}::text)
  ELSE to_json(${value}) END`;

function numberText(value: string, period: Period | null, params: Params): string {
  const figures =
    period === null
      ? `${value} AS "value"`
      : `${value} FILTER (WHERE "at" >= ${params.bind(period.from)}::date) AS "value",
        ${value} FILTER (WHERE "at" < ${params.bind(period.from)}::date) AS "before"`;
  const before = period === null ? '' : `, 'before', ${jsonText('"before"')}`;
  return `SELECT json_build_object('value', ${jsonText('"value"')}${before}) FROM (SELECT ${figures} FROM part_rows) AS figures`;
}

function barsText(value: string, params: Params): string {
  const max = `${params.bind(String(limits.pageBars.default))}::int8`;
  return `figures AS (
      SELECT "by", ${value} AS "value", grouping("by") AS "all" FROM part_rows GROUP BY GROUPING SETS (("by"), ())),
    places AS (
      SELECT "by", "value", row_number() OVER (ORDER BY "value" DESC NULLS LAST, "by"::text) AS place
      FROM figures WHERE "all" = 0)
    SELECT json_build_object(
      'total', (SELECT ${jsonText('"value"')} FROM figures WHERE "all" = 1),
      'further', (SELECT greatest(count(*) - ${max}, 0) FROM places),
      'bars', coalesce((
        SELECT json_agg(json_build_object('by', ${jsonText('"by"')}, 'value', ${jsonText('"value"')}) ORDER BY place)
        FROM places WHERE place <= ${max}), '[]'))`;
}

function lineText(value: string, hasBy: boolean, { step }: Period, params: Params): string {
  const max = `${params.bind(String(limits.pageLines.default))}::int8`;
  const by = hasBy ? '"by"' : 'null::text';
  const at = step === 'day' ? '"at"' : `date_trunc('week', "at"::timestamp)::date`;
  return `figures AS (
      SELECT ${by} AS "by", ${at} AS "at", ${value} AS "value", count(*) AS "size" FROM part_rows GROUP BY 1, 2),
    places AS (
      SELECT "by", row_number() OVER (ORDER BY sum("size") DESC, "by"::text) AS place FROM figures GROUP BY "by")
    SELECT json_build_object(
      'further', (SELECT greatest(count(*) - ${max}, 0) FROM places),
      'lines', coalesce((
        SELECT json_agg(json_build_object('by', ${jsonText('"by"')}, 'points', points) ORDER BY place)
        FROM (
          SELECT p.place, p."by", json_agg(json_build_array(f."at", ${jsonText('f."value"')})) AS points
          FROM places p JOIN figures f ON f."by" IS NOT DISTINCT FROM p."by"
          WHERE p.place <= ${max} GROUP BY p.place, p."by") AS lines), '[]'))`;
}
