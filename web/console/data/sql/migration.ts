import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { MigrateRequest, MigrateResponse } from '../../../../contract/admin.ts';
import type { MigrationTrial } from '../../../../contract/changes.ts';
import { api, segment } from '../api.ts';
import { entityKeys } from '../entities/keys.ts';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';

/** Pause after the last change of the SQL before it is tried, in milliseconds. */
const PAUSE = 400;

/** A trial of a migration, and its duration in milliseconds. */
export interface TimedTrial extends MigrationTrial {
  milliseconds: number;
}

/** Runs a migration in a transaction that is rolled back, and returns the changes of the specification. */
export const migrationTrial = (ref: string, sql: string) =>
  queryOptions({
    queryKey: [...specificationKeys.of(ref), 'migration-trial', sql],
    queryFn: async ({ signal }): Promise<TimedTrial> => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      signal.throwIfAborted();
      const started = performance.now();
      const body: MigrateRequest = { files: [{ name: 'trial.sql', sql }] };
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

/** Applies a migration. It becomes a version of the specification. */
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
