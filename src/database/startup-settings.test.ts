import { describe, expect, it } from 'vitest';
import { parseConnectionUrl } from './connection-config.ts';
import { forgetSetting, startupOptions } from './startup-settings.ts';

const target = (port: number) => parseConnectionUrl(`postgres://me:secret@127.0.0.1:${port}/app`, 'test');

describe('startupOptions', () => {
  it('escapes spaces, so that a value stays one word', () => {
    expect(startupOptions(target(1))).toContain('-c default_transaction_isolation=read\\ committed ');
  });

  it('keeps the settings of the database for the owner’s SQL, except those that could lock the owner out', () => {
    const options = startupOptions({ ...target(1), obeysDatabase: true });
    expect(options).toContain('-c transaction_timeout=0');
    expect(options).not.toMatch(/default_transaction|row_security/);
  });

  it('puts the search path of the connection parameters last', () => {
    expect(startupOptions({ ...target(1), searchPath: '' })).toMatch(/ -c search_path=$/);
  });
});

describe('forgetSetting', () => {
  it('omits a setting after the server refused it, and allows one retry for each refused setting', () => {
    const message = 'unrecognized configuration parameter "transaction_timeout"';
    const server = target(2);
    expect(forgetSetting(server, message)).toBe(true);
    expect(startupOptions({ ...server, database: 'another' })).not.toContain('transaction_timeout');
    expect(startupOptions(target(3))).toContain('transaction_timeout');
    expect(forgetSetting(server, message)).toBe(false);
  });

  it('allows no retry if the server refused a setting that every release has', () => {
    expect(forgetSetting(target(4), 'unrecognized configuration parameter "row_security"')).toBe(false);
  });
});
