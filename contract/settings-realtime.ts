import { realtimeLimits } from './limits/realtime.ts';
import { defaultsOf, defineSettings, settingsOf, type ValuesOf } from './setting.ts';

/** The settings of an app's `/realtime/v1`. */
export const realtimeSettings = defineSettings({
  realtime_private_only: {
    kind: 'boolean',
    default: false,
    meaning:
      'Whether clients may join private channels only. Policies on realtime.messages decide about private channels, and anybody may join a public one.',
    row: { section: 'realtime', label: 'Private channels only' },
  },

  ...settingsOf(realtimeLimits),
});

export type RealtimeSettings = ValuesOf<typeof realtimeSettings>;

/** All settings with their default values. */
export const defaultRealtimeSettings = defaultsOf(realtimeSettings);
