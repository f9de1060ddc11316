import type { Routine } from '../../catalog/schema-cache.ts';
import { type BodyFormat, returnsScalar, returnsSetOfScalar, returnsSingle } from '../plan/plan.ts';
import { SCALAR } from './call.ts';
import { qualified } from './text.ts';

/** Alias of the rows of the response in the outermost FROM clause. */
export const ROWS = 'pgrst_rows';

/** Returns the expression that builds the body from the rows (PostgREST docs, "Resource Representation"). */
export function bodyText(format: BodyFormat, routine: Routine | null): string {
  switch (format.kind) {
    case 'none':
      return "''";
    case 'array':
    case 'object':
      return jsonText(format.kind === 'object', format.stripNulls, routine);
    case 'csv':
      return csvText;
    case 'geojson':
      return `json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(${ROWS})::json), '[]'))`;
    case 'custom': {
      if (routine && returnsScalar(routine)) return `${qualified(format.function)}(${ROWS}.${SCALAR})`;
      const rows = format.target === null ? ROWS : `${ROWS}::${qualified(format.target)}`;
      return `${qualified(format.function)}(${rows})`;
    }
  }
}

function jsonText(single: boolean, stripNulls: boolean, routine: Routine | null): string {
  const scalar = routine !== null && (returnsScalar(routine) || (returnsSetOfScalar(routine) && !single));
  const rows = `json_agg(${scalar ? `${ROWS}.${SCALAR}` : ROWS})`;
  const stripped = stripNulls ? `json_strip_nulls(${rows})` : rows;
  const first = single || (routine !== null && returnsSingle(routine));
  return first ? `coalesce(${stripped}->0, 'null')` : `coalesce(${stripped}, '[]')`;
}

/**
 * SQL of the header line with the first row's column names, and of the rows in PostgreSQL's record format, which is CSV
 * in parentheses.
 */
const csvText =
  `(SELECT coalesce(string_agg(key, ','), '') FROM (SELECT json_object_keys(row_to_json(first)) AS key ` +
  `FROM (SELECT * FROM ${ROWS} LIMIT 1) AS first) AS keys) || E'\\n' || ` +
  `coalesce(string_agg(substring(${ROWS}::text, 2, length(${ROWS}::text) - 2), E'\\n'), '')`;
