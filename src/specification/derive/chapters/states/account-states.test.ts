import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { authCalls } from '../../../../../contract/calls.ts';
import { type AuthSettings, defaultAuthSettings } from '../../../../../contract/settings-auth.ts';
import { Conditions } from '../../../render/markdown/conditions.ts';
import { table } from '../../../render/markdown/escape.ts';
import { moveRow, statesMarkdown } from '../../../render/markdown/states.ts';
import { accountStates, defaultMoves } from './account-states.ts';

/** Returns the account's state changes and the calls of chapter 7 under these settings. */
function movesWith(changed: Partial<AuthSettings> = {}) {
  const settings = { ...defaultAuthSettings, ...changed };
  const open = authCalls.filter((call) =>
    Object.entries(call.settings).every(([name, value]) => settings[name as keyof AuthSettings] === value),
  );
  const ids = new Set<string>(open.map(({ id }) => id));
  const { moves, states } = accountStates(settings, ids);
  // Every call is in chapter 7, and every state has a description.
  expect(moves.filter(({ call }) => !ids.has(call))).toEqual([]);
  const named = new Set(states.map(({ name }) => name));
  expect(moves.flatMap(({ from, to }) => [from, to]).filter((state) => state !== null && !named.has(state))).toEqual(
    [],
  );
  expect(new Set(moves.map(({ id }) => id)).size).toBe(moves.length);
  return moves.map(({ id }) => id);
}

it('accountStates names only calls that chapter 7 contains under some settings', () => {
  const all = new Set<string>(authCalls.map(({ id }) => id));
  const settings = { ...defaultAuthSettings, external_anonymous_users_enabled: true };
  const moved = accountStates(settings, all).moves.map(({ call }) => call);
  expect([...new Set(moved)].toSorted()).toEqual([
    'auth.admin.generate_link',
    'auth.admin.users.create',
    'auth.admin.users.delete',
    'auth.admin.users.update',
    'auth.callback',
    'auth.callback.form',
    'auth.identities.confirm',
    'auth.invite',
    'auth.magiclink',
    'auth.otp',
    'auth.otp.phone',
    'auth.signup',
    'auth.signup.anonymous',
    'auth.signup.phone',
    'auth.token.id_token',
    'auth.user.delete',
    'auth.user.update',
    'auth.verify',
    'auth.verify.phone',
  ]);
});

it('accountStates includes or omits state changes according to the settings that enable sign-up and sign-in', () => {
  expect(movesWith({ mailer_autoconfirm: true })).toContain('auth.signup: none to active');
  expect(movesWith({ mailer_autoconfirm: false })).toContain('auth.signup: none to unconfirmed');
  const closed = movesWith({ disable_signup: true });
  expect(closed.filter((id) => id.includes('none to')).map((id) => id.split(':')[0])).toEqual([
    'auth.admin.users.create',
    'auth.admin.users.create',
    'auth.invite',
    'auth.admin.generate_link',
  ]);
  expect(movesWith({ external_anonymous_users_enabled: true })).toContain('auth.signup.anonymous: none to anonymous');
  expect(movesWith({ external_anonymous_users_enabled: false }).some((id) => id.includes('none to anonymous'))).toBe(
    false,
  );
  expect(movesWith({ external_phone_enabled: true })).toContain('auth.signup.phone: none to unconfirmed');
  expect(movesWith({ external_phone_enabled: true, sms_autoconfirm: true })).toContain(
    'auth.signup.phone: none to active',
  );
  expect(movesWith({ external_anonymous_users_enabled: true })).toContain('auth.verify: anonymous to active');
  expect(movesWith()).toContain('auth.user.delete: active to none');
  expect(movesWith({ external_email_enabled: false })).not.toContain('auth.otp: none to unconfirmed');
  expect(movesWith()).toContain('auth.admin.users.update: banned to active');
});

it('docs/members.md contains the state changes of the default settings', async () => {
  const text = await readFile(new URL('../../../../../docs/members.md', import.meta.url), 'utf8');
  expect(text).toContain(table(['From', 'Call', 'To', 'If'], defaultMoves().map(moveRow)));
});

it('the Markdown omits the state changes that are the same with the default settings', () => {
  const open = new Set<string>(authCalls.map(({ id }) => id));
  const markdownWith = (changed: Partial<AuthSettings>): string =>
    statesMarkdown(
      {
        machines: [],
        accounts: accountStates({ ...defaultAuthSettings, ...changed }, open),
        sources: [],
      },
      new Conditions(),
    );
  const usual = { machines: [], accounts: { ...accountStates(defaultAuthSettings, open), moves: defaultMoves() } };
  expect(statesMarkdown({ ...usual, sources: [] }, new Conditions())).toMatch(
    / the same in every app: `docs\/members\.md`\.$/,
  );
  const anonymous = markdownWith({ external_anonymous_users_enabled: true });
  expect(anonymous).toContain('| no account | `auth.signup.anonymous` | anonymous |  |');
  expect(anonymous).not.toContain('auth.invite');
  expect(markdownWith({ disable_signup: true })).toContain(
    '- Not possible in this app: `auth.signup` creates an active account.',
  );
});
