import { mutationOptions } from '@tanstack/react-query';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';
import { runSql } from './run-sql.ts';

/** Runs SQL that changes the app, in one transaction. */
export const applySql = (ref: string) =>
  mutationOptions({
    mutationFn: (sql: string) => runSql(ref, sql, new AbortController().signal),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) }),
  });
