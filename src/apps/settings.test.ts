import { expect, it } from 'vitest';
import { allSettings } from '../../contract/all-settings.ts';
import { defaultRestSettings } from '../../contract/settings.ts';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { isValidValue, readSettings } from './settings.ts';

it('readSettings overrides the defaults with stored values', () => {
  const { rest, auth } = readSettings({
    db_schemas: ['api'],
    db_max_rows: null,
    disable_signup: true,
    jwt_aud: 'here',
  });
  expect(rest).toEqual({ ...defaultRestSettings, db_schemas: ['api'], db_max_rows: null, jwt_aud: 'here' });
  expect(auth).toEqual({ ...defaultAuthSettings, disable_signup: true });
});

it('readSettings uses the default if an app’s owner stored a value of another type', () => {
  const hostile = {
    db_schemas: 'public',
    db_extra_search_path: [5],
    db_max_rows: '1; drop',
    db_aggregates_enabled: 'yes',
    app_settings: [1],
    disable_signup: null,
    jwt_exp: {},
    password_min_length: Number.NaN,
    nonsense: true,
    __proto__: { polluted: true },
  };
  const { rest, auth } = readSettings(JSON.parse(JSON.stringify(hostile)));
  expect({ ...rest, ...auth }).toEqual({ ...defaultRestSettings, ...defaultAuthSettings });
});

it('readSettings does not accept an empty list of schemas', () => {
  expect(readSettings({ db_schemas: [] }).rest.db_schemas).toEqual(['public']);
});

it('readSettings restricts a number that changes a limit to the range of the limit', () => {
  const { rest, auth } = readSettings({
    request_body_bytes: 1,
    logs_traces: 2_000_000_000,
    jwt_exp: 5,
    password_min_length: 3,
    db_max_rows: 7,
  });
  expect([rest.request_body_bytes, rest.logs_traces, rest.db_max_rows]).toEqual([1024, 100_000, 7]);
  expect([auth.jwt_exp, auth.password_min_length]).toEqual([30, 6]);
});

it('isValidValue accepts the default of every setting and rejects numbers outside its range', () => {
  const settings = Object.values(allSettings);
  expect(settings.filter((setting) => !isValidValue(setting, setting.default))).toEqual([]);
  const numbers = settings.filter((setting) => setting.kind === 'number');
  expect(numbers.filter((setting) => isValidValue(setting, setting.range[0] - 1))).toEqual([]);
  expect(numbers.filter((setting) => isValidValue(setting, setting.range[1] + 1))).toEqual([]);
  expect(numbers.filter((setting) => isValidValue(setting, null) !== (setting.isNullable === true))).toEqual([]);
});
