import { describe, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../contract/settings-auth.ts';
import { checkNewPassword, weaknessOf, wordsOf } from './check-password.ts';

const reasons = (password: string, settings = {}) =>
  weaknessOf(password, { ...defaultAuthSettings, ...settings })?.reasons ?? [];

describe('weaknessOf', () => {
  it('requires 8 characters by default and at least 6 with any setting', () => {
    expect(reasons('aB3-xyz')).toEqual(['length']);
    expect(reasons('aB3-xyzq')).toEqual([]);
    expect(reasons('😀😀😀😀😀😀😀')).toEqual(['length']);
    expect(reasons('aB3-x', { password_min_length: 1 })).toEqual(['length']);
    expect(reasons('aB3-xy', { password_min_length: 6 })).toEqual([]);
  });

  it.each(['password', 'Password1', '12345678', 'ILOVEYOU', 'qwerty123', 'trustno1'])(
    'refuses the common password %s',
    (password) => {
      expect(reasons(password)).toEqual(['pwned']);
      expect(reasons(password, { password_refuse_common: false })).toEqual([]);
    },
  );

  it.each(['ada.lovelace', 'Ada.Lovelace1815', '2026helpdesk!', 'ada.lovelace@example.org'])(
    'refuses %s, which is made of the name of the app or the account',
    (password) => {
      const words = wordsOf('helpdesk', 'Ada.Lovelace@example.org');
      expect(weaknessOf(password, defaultAuthSettings, words)?.reasons).toEqual(['pwned']);
      expect(weaknessOf(`${password} weirs`, defaultAuthSettings, words)).toBeNull();
      expect(weaknessOf('12345 67 89 01', defaultAuthSettings, wordsOf('helpdesk', '1@example.org'))).toBeNull();
    },
  );

  it.each(['491711234567', '+49 171 1234567', '0049-171-1234567', '(0171) 123 45 67', '1711234567!', '４９1711234567'])(
    'refuses %s, which is the phone number of the account',
    (password) => {
      const words = wordsOf('helpdesk', null, '+49 171 1234567');
      expect(weaknessOf(password, defaultAuthSettings, words)?.reasons).toEqual(['pwned']);
      expect(weaknessOf(`${password} weirs`, defaultAuthSettings, words)).toBeNull();
      expect(weaknessOf('90 81 726 354 91', defaultAuthSettings, words)).toBeNull();
    },
  );

  it('accepts uncommon passwords', () => {
    const taken = Array.from({ length: 2000 }, (_, i) => `kestrel ${i} over the weir`).filter(
      (one) => reasons(one).length > 0,
    );
    expect(taken).toEqual([]);
  });

  it('requires a character of each set, as GoTrue does', () => {
    const settings = { password_required_characters: 'abcdef:ABCDEF:0123456789:\\:!' };
    expect(reasons('cobalt Fjord 7!', settings)).toEqual([]);
    expect(reasons('cobalt Fjord 7:', settings)).toEqual([]);
    expect(reasons('cobalt fjord 7!', settings)).toEqual(['characters']);
    expect(weaknessOf('abc', { ...defaultAuthSettings, ...settings })).toEqual({
      message:
        'Password should be at least 8 characters. Password should contain at least one character of each: abcdef, ABCDEF, 0123456789, :!.',
      reasons: ['length', 'characters'],
    });
  });
});

it('checkNewPassword throws weak_password with the reasons and the exceeded limit', () => {
  const refused = (password: string) => {
    try {
      checkNewPassword(password, defaultAuthSettings, []);
    } catch (error) {
      return error;
    }
    return null;
  };
  expect(refused('short')).toMatchObject({ code: 'weak_password', status: 422, limit: 'passwordMinCharacters' });
  expect(refused('password')).toMatchObject({ code: 'weak_password', details: { reasons: ['pwned'] }, limit: null });
  expect(refused('x'.repeat(1025))).toMatchObject({ code: 'validation_failed' });
});
