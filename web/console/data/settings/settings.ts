import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type { SettingEntry } from '../../../../contract/admin.ts';
import { api, segment } from '../api.ts';
import { mailKeys } from '../mails/keys.ts';
import { queryClient } from '../query-client.ts';

const settingKeys = { of: (ref: string) => ['settings', ref] as const };
const path = (ref: string) => `/apps/${segment(ref)}/settings`;

/** The settings of an app. A secret has no value here, but `is_set`. */
export const appSettings = (ref: string) =>
  queryOptions({
    queryKey: settingKeys.of(ref),
    queryFn: ({ signal }) => api<SettingEntry[]>(path(ref), { signal }),
  });

/** Changes settings one after the other; `undefined` brings the default back. Stops at the first that is refused. */
export const changeSettings = (ref: string) =>
  mutationOptions({
    mutationFn: async (changes: Readonly<Record<string, unknown>>): Promise<void> => {
      for (const [key, value] of Object.entries(changes)) {
        const setting = `${path(ref)}/${segment(key)}`;
        if (value === undefined) await api(setting, { method: 'DELETE' });
        else await api(setting, { method: 'PUT', body: { value } });
      }
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: settingKeys.of(ref) }),
        queryClient.invalidateQueries({ queryKey: mailKeys.templates(ref) }),
      ]),
  });
