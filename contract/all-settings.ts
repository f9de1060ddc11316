import type { Setting } from './setting.ts';
import { restSettings } from './settings.ts';
import { authSettings } from './settings-auth.ts';
import { mailSettings } from './settings-mail.ts';
import { realtimeSettings } from './settings-realtime.ts';
import { storageSettings } from './settings-storage.ts';

/** Every setting of an app, except secrets, by the keys of `ninefold.settings`. */
export const allSettings: Readonly<Record<string, Setting>> = {
  ...restSettings,
  ...authSettings,
  ...mailSettings,
  ...storageSettings,
  ...realtimeSettings,
};
