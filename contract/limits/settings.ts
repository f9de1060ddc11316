import type { Limit } from './limit.ts';

/** Settings. */
export const settingLimits = {
  settingBytes: {
    group: 'settings',
    unit: 'bytes',
    default: 64 * 1024,
    meaning: 'The longest value of a setting that is in force.',
    code: 'setting_invalid',
  },
} as const satisfies Record<string, Limit>;
