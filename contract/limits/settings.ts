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
  redirectCharacters: {
    group: 'settings',
    unit: 'characters',
    default: 2048,
    meaning: 'The longest address that redirect_to may name; a longer one is not allowed.',
  },
  patternVariants: {
    group: 'settings',
    unit: 'count',
    default: 64,
    meaning: 'Texts that one pattern of uri_allow_list may stand for with {a,b}; a pattern with more matches nothing.',
  },
  patternSteps: {
    group: 'settings',
    unit: 'count',
    default: 2_000_000,
    meaning: 'Steps that the patterns of uri_allow_list may take for one address; after them nothing matches.',
  },
} as const satisfies Record<string, Limit>;
