import { expect, it } from 'vitest';
import { allSettings } from '../../../../contract/all-settings.ts';
import { hookNames } from '../../../../contract/hooks.ts';
import { type Limit, limits } from '../../../../contract/limits.ts';
import { providerNames } from '../../../../contract/providers.ts';
import { authSecrets } from '../../../../contract/settings-auth.ts';
import { effectOf } from './setting-words.ts';

/** The settings of chapter 9, which has a control for each limit that a builder may change. */
const ofLimits = new Set(Object.values<Limit>(limits).flatMap(({ setting }) => setting ?? []));
/** The beginnings of the names of the settings on the panels for sign-in methods and on the forms of the pages Mail and Files. */
const panels: readonly string[] = [
  ...providerNames.map((name) => `external_${name}_`),
  ...hookNames.map((name) => `hook_${name}_`),
  ...['sms_', 'mfa_phone_template', 'smtp_', 'mailer_subjects_', 'mailer_templates_', 'storage_url_generation'],
];

it('the console can change every setting of an app', () => {
  const isReached = (key: string) =>
    allSettings[key]?.row || ofLimits.has(key) || panels.some((prefix) => key.startsWith(prefix));
  expect(Object.keys({ ...allSettings, ...authSecrets }).filter((key) => !isReached(key))).toEqual([]);
});

it('effectOf describes a value in the unit of its setting', () => {
  const effect = (key: string, value: unknown) => effectOf(allSettings[key], value);
  expect(effect('mailer_otp_exp', 5400)).toBe('A link or a code in a mail is valid for 90 minutes.');
  expect(effect('mailer_otp_length', 6)).toBe('A code in a mail has 6 digits.');
  expect(effect('password_min_length', 8)).toBe('A new password has at least 8 characters.');
  expect(effect('mfa_max_verified_factors', 1)).toBe('An account can have 1 second factor.');
  expect(effect('sessions_per_user', 0)).toBe('A member can have any number of sessions.');
  expect(effect('disable_signup', true)).toBe('Only builders create accounts.');
  expect(effect('webauthn_rp_origins', [])).toBe('Only pages of the app’s own origin use passkeys.');
  expect(effect('webauthn_rp_id', null)).toBe('Passkeys belong to the app’s own host name.');
  expect(effect('db_schemas', ['public'])).toBeNull();
});
