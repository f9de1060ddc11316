import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { MigrateRequest, MigrateResponse, SqlFailure, SqlRequest, SqlResponse } from '../../../contract/admin.ts';
import type { MigrationTrial, MigrationTrialRequest } from '../../../contract/changes.ts';
import { api, segment } from './api.ts';
import { ApiFailure } from './api-failure.ts';
import { entityKeys } from './entities.ts';
import { queryClient } from './query-client.ts';
import { specificationKeys } from './specification.ts';

/** Runs SQL that changes the app, in one transaction. */
export const applySql = (ref: string) =>
  mutationOptions({
    mutationFn: (sql: string) => runSql(ref, sql, new AbortController().signal),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) }),
  });

/**
 * Writes a text as an SQL literal that is correct for both values of standard_conforming_strings (PostgreSQL, "String
 * Constants with C-Style Escapes"). Pure.
 */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}

/** Writes a name as a quoted SQL identifier. Pure. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Writes texts as an SQL array. Pure. */
export const arrayLiteral = (texts: readonly string[]): string => `array[${texts.map(literal).join(', ')}]::text[]`;

/** Writes a function call with named arguments, one on each line. An argument whose value is null is omitted. Pure. */
export function callSql(name: string, given: Readonly<Record<string, string | null>>): string {
  const lines = Object.entries(given).flatMap(([argument, sql]) => (sql === null ? [] : [`  ${argument} => ${sql}`]));
  return lines.length === 0 ? `select ${name}();` : `select ${name}(\n${lines.join(',\n')});`;
}

/** Time in milliseconds that the SQL must stay unchanged before it is tried. */
const PAUSE = 400;
/** The same for a draft with a preview, which should follow the builder at once. */
const PREVIEW_PAUSE = 120;

/** The result of trying a migration, and how long that took in milliseconds. */
export interface TimedTrial extends MigrationTrial {
  milliseconds: number;
}

/**
 * Tries a migration in a transaction that is rolled back, and returns what would change in the specification.
 * @param as The caller whose screens the result contains, for a preview of a draft; null without screens.
 */
export const migrationTrial = (ref: string, sql: string, as: MigrationTrialRequest['screens_as'] | null = null) =>
  queryOptions({
    queryKey: [...specificationKeys.of(ref), 'migration-trial', sql, as],
    queryFn: async ({ signal }): Promise<TimedTrial> => {
      await new Promise((resolve) => setTimeout(resolve, as ? PREVIEW_PAUSE : PAUSE));
      signal.throwIfAborted();
      const started = performance.now();
      const body: MigrationTrialRequest = { files: [{ name: 'trial.sql', sql }], ...(as && { screens_as: as }) };
      const trial = await api<MigrationTrial>(`/apps/${segment(ref)}/migrations/trial`, {
        method: 'POST',
        body,
        signal,
      });
      return { ...trial, milliseconds: performance.now() - started };
    },
    staleTime: 30_000,
    retry: false,
    enabled: sql !== '',
  });

/** Applies a migration. The change becomes a version of the specification. */
export const applyMigration = (ref: string) =>
  mutationOptions({
    mutationFn: ({ name, sql }: { name: string; sql: string }) =>
      api<MigrateResponse>(`/apps/${segment(ref)}/migrations`, {
        method: 'POST',
        body: { files: [{ name, sql: `${sql}\n` }] } satisfies MigrateRequest,
      }),
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
      await queryClient.invalidateQueries({ queryKey: entityKeys.list(ref) });
    },
  });

/**
 * Runs SQL as the app's owner. If `signal` is aborted, PostgreSQL cancels the statement.
 * @throws {ApiFailure} sql_failed with an SqlFailure in `details` if PostgreSQL refused a statement
 */
export const runSql = (ref: string, sql: string, signal: AbortSignal): Promise<SqlResponse> =>
  api<SqlResponse>(`/apps/${segment(ref)}/sql`, { method: 'POST', body: { sql } satisfies SqlRequest, signal });

/** Returns PostgreSQL's error if PostgreSQL refused a statement; null for any other error. */
export function sqlFailureOf(error: unknown): SqlFailure | null {
  if (!(error instanceof ApiFailure) || error.code !== 'sql_failed') return null;
  const { details } = error;
  const isFailure = typeof details === 'object' && details !== null && 'sqlstate' in details && 'message' in details;
  return isFailure ? (details as SqlFailure) : null;
}
