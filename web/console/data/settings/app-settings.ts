import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SettingEntry } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { mailKeys } from '../mails/keys.ts';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';

/** The settings of an app, by key. */
export type AppSettings = ReadonlyMap<string, SettingEntry>;

const queryKey = (ref: string) => ['settings', ref] as const;

/** Reads the settings of an app. A secret has no value but `is_set`. */
export const appSettings = (ref: string) =>
  queryOptions({
    queryKey: queryKey(ref),
    queryFn: async ({ signal }): Promise<AppSettings> => {
      const entries = await api<SettingEntry[]>(`/apps/${segment(ref)}/settings`, { signal });
      return new Map(entries.map((entry) => [entry.key, entry]));
    },
  });

/** New values of settings by key; undefined resets a setting to its default. */
export type SettingChanges = Readonly<Record<string, unknown>>;

/**
 * Changes settings one after the other. Stops at the first refused setting and throws `setting_invalid`; the settings
 * before it stay changed.
 */
export const changeSettings = (ref: string) =>
  mutationOptions({
    mutationFn: async (changes: SettingChanges): Promise<void> => {
      for (const [key, value] of Object.entries(changes)) {
        const path = `/apps/${segment(ref)}/settings/${segment(key)}`;
        if (value === undefined) await api(path, { method: 'DELETE' });
        else await api(path, { method: 'PUT', body: { value } });
      }
    },
    onSettled: async () => {
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
      void queryClient.invalidateQueries({ queryKey: mailKeys.templates(ref) });
      await queryClient.invalidateQueries({ queryKey: queryKey(ref) });
    },
  });
