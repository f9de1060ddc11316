import { limitsOf } from './limit.ts';

/** Limits of the values of settings. */
export const settingLimits = limitsOf('settings', {
  settingBytes: {
    unit: 'bytes',
    default: 64 * 1024,
    meaning: 'The longest value of a setting that takes effect.',
    code: 'setting_invalid',
  },
  redirectCharacters: {
    unit: 'characters',
    default: 2048,
    meaning: 'The longest address in redirect_to. A longer address is not allowed.',
  },
  patternVariants: {
    unit: 'count',
    default: 64,
    meaning:
      'Texts that one pattern of uri_allow_list may stand for with {a,b}. A pattern with more texts matches nothing.',
  },
  patternSteps: {
    unit: 'count',
    default: 2_000_000,
    meaning: 'Steps that the patterns of uri_allow_list may take for one address. Then nothing matches.',
  },
});
