import { expect, it } from 'vitest';
import { hookNames } from '../../../../contract/hooks.ts';
import { type Limit, limits } from '../../../../contract/limits.ts';
import { providerNames } from '../../../../contract/providers.ts';
import { restSettings } from '../../../../contract/settings.ts';
import { authSecrets, authSettings } from '../../../../contract/settings-auth.ts';
import { mailSettings } from '../../../../contract/settings-mail.ts';
import { sections, settingWords } from './setting-words.ts';

const all = Object.keys({ ...restSettings, ...authSettings, ...mailSettings, ...authSecrets });
const rows: readonly string[] = Object.values(sections).flat();
/** The settings of chapter 9, which has a control for each limit that a builder may change. */
const ofLimits = new Set(
  Object.values<Limit>(limits).flatMap(({ setting, range }) => (setting && range ? [setting] : [])),
);
/** The beginnings of the names of the settings on the panels for sign-in methods and on the forms of the page Mail. */
const panels: readonly string[] = [
  ...providerNames.map((name) => `external_${name}_`),
  ...hookNames.map((name) => `hook_${name}_`),
  ...['sms_', 'mfa_phone_template', 'smtp_', 'mailer_subjects_', 'mailer_templates_', 'rate_limit_'],
];

it('the console can change every setting of an app', () => {
  const isReached = (key: string) =>
    rows.includes(key) || ofLimits.has(key) || panels.some((prefix) => key.startsWith(prefix));
  expect(all.filter((key) => !isReached(key))).toEqual([]);
});

it('every row belongs to a setting and has a name', () => {
  expect(rows.filter((key) => !all.includes(key))).toEqual([]);
  expect(rows.filter((key) => !settingWords[key])).toEqual([]);
  expect(new Set(rows).size).toBe(rows.length);
});
