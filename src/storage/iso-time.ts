/** SQL of a time as Supabase Storage sends it: ISO 8601 in UTC with milliseconds. */
export const isoTime = (column: string): string =>
  `pg_catalog.to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
