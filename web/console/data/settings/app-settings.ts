import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SettingEntry } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';

const queryKey = (ref: string) => ['settings', ref] as const;

/** The settings of an app, by key. A secret has no value. */
export const appSettings = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: async ({ signal }) => {
      const entries = await api<SettingEntry[]>(`/apps/${segment(ref)}/settings`, { signal });
      return new Map(entries.map((entry) => [entry.key, entry]));
    },
  });

/** New values of settings, by key; null takes a setting back to its default. */
export type SettingChanges = Readonly<Record<string, unknown>>;

/** Changes settings, one after the other. Throws `setting_invalid` for the first value that is refused. */
export const changeSettings = (ref: string) =>
  mutationOptions({
    mutationFn: async (changes: SettingChanges): Promise<void> => {
      for (const [key, value] of Object.entries(changes)) {
        const path = `/apps/${segment(ref)}/settings/${segment(key)}`;
        if (value === null) await api(path, { method: 'DELETE' });
        else await api(path, { method: 'PUT', body: { value } });
      }
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: queryKey(ref) });
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
    },
  });
