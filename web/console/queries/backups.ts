import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { AppRestoreBody, BackupPage, BackupRequest, RecoveryPhrase } from '../../../contract/backup.ts';
import { api } from './api.ts';
import { queryClient, refetchEvery } from './query-client.ts';

/** How often the state of the backups is read while its page is open. */
const REFRESH_MILLISECONDS = 2000;

const queryKey = ['backups'] as const;
const refresh = () => queryClient.invalidateQueries({ queryKey });

/** Reads the state of the node's backups, for its owners. */
export const backupPage = () =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => api<BackupPage>('/backups', { signal }),
    refetchInterval: (query) => refetchEvery(REFRESH_MILLISECONDS)(query),
  });

/** Requests a base backup or a drill. The state shows its progress. */
export const requestBackup = () =>
  mutationOptions({
    mutationFn: (kind: BackupRequest) => api<object>('/backups/requests', { method: 'POST', body: { kind } }),
    onSuccess: refresh,
  });

/** Makes a recovery phrase. An earlier phrase becomes invalid. The cache drops the phrase when no component uses it. */
export const makeRecoveryPhrase = () =>
  mutationOptions({
    mutationFn: () => api<RecoveryPhrase>('/backups/phrase', { method: 'POST', body: {} }),
    gcTime: 0,
    onSuccess: refresh,
  });

/** Starts to restore one app as a copy. The state shows the result. */
export const restoreApp = () =>
  mutationOptions({
    mutationFn: (body: AppRestoreBody) => api<object>('/backups/app-restores', { method: 'POST', body }),
    onSuccess: refresh,
  });
