import { limits } from '../../../contract/limits.ts';
import type { ProbeReport, ProbeState } from '../../../contract/probe.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import type { Executor } from '../../database/database.ts';
import { rowsAsText } from '../../database/statement.ts';
import { gunzipJson, gzipJson } from '../render/gzip-json.ts';

/**
 * Reads and writes the table `ninefold.probe` of an app. Code of the app can write to this table, so the size of the
 * stored report is checked before it is read.
 */

/** A run without progress for this time has ended: its worker no longer exists. */
const SILENT = `pg_catalog.make_interval(secs => ${limits.probeSilentSeconds.default})`;

const toIso = (column: string): string =>
  `pg_catalog.to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Reads the active run and the last report, which are the same for every worker. */
export async function readProbe(database: Executor): Promise<ProbeState> {
  const [result] = await runAsServerRole(database, [
    {
      text: `select case when heard_at > pg_catalog.now() - ${SILENT} then ${toIso('started_at')} end as started_at, done, total,
               case when pg_catalog.octet_length(report) <= $1::bigint and (heard_at is null or heard_at <= pg_catalog.now() - ${SILENT}) then pg_catalog.encode(report, 'base64') end as report
             from ninefold.probe`,
      params: [String(limits.specificationBytes.default)],
    },
  ]);
  const row = result && rowsAsText(result)[0];
  return {
    running: row?.started_at ? { started_at: row.started_at, done: Number(row.done), total: Number(row.total) } : null,
    last: row?.report ? asReport(await gunzipJson(Buffer.from(row.report, 'base64'))) : null,
  };
}

/** Starts a run and returns its start time in ISO 8601. Returns null if another worker has an active run. */
export async function beginProbe(database: Executor): Promise<string | null> {
  const [result] = await runAsServerRole(database, [
    {
      text: `insert into ninefold.probe as p (started_at, heard_at) values (pg_catalog.now(), pg_catalog.now())
             on conflict (only_row) do update set started_at = excluded.started_at, heard_at = excluded.heard_at, done = 0, total = 0
             where p.heard_at is null or p.heard_at <= pg_catalog.now() - ${SILENT}
             returning ${toIso('p.started_at')} as started_at`,
      params: [],
    },
  ]);
  return (result && rowsAsText(result)[0]?.started_at) ?? null;
}

/** Stores the progress of the active run, which also shows that the run is alive. */
export async function noteProgress(database: Executor, done: number, total: number): Promise<void> {
  await runAsServerRole(database, [
    {
      text: 'update ninefold.probe set heard_at = pg_catalog.now(), done = $1::int, total = $2::int where heard_at is not null',
      params: [String(done), String(total)],
    },
  ]);
}

/** Ends the run and stores its report. A null report leaves the previous report unchanged. */
export async function endProbe(database: Executor, report: ProbeReport | null): Promise<void> {
  const packed = report && (await gzipJson(report));
  await runAsServerRole(database, [
    {
      text: 'update ninefold.probe set heard_at = null, started_at = null, report = coalesce($1::bytea, report)',
      params: [packed],
    },
  ]);
}

function asReport(value: unknown): ProbeReport | null {
  const report = value as Partial<ProbeReport> | null;
  return Array.isArray(report?.cells) ? (report as ProbeReport) : null;
}
