import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, ensureSecrets, readConfig, readOperatorToken } from './config.ts';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 9009,
      databaseUrl: null,
      domain: null,
      trustProxy: false,
    });
  });

  it('says which value cannot be used, and what could', () => {
    expect(() => readConfig({ NINEFOLD_PORT: '90o9' })).toThrow('NINEFOLD_PORT must be a whole number from 0 to 65535');
    expect(() => readConfig({ NINEFOLD_WORKERS: '0' })).toThrow(ConfigError);
    expect(() => readConfig({ NINEFOLD_DATABASE_URL: 'not a url' })).toThrow('NINEFOLD_DATABASE_URL must be a URL');
  });
});

describe('ensureSecrets', () => {
  it('makes secrets that only this user can read, and keeps them', () => {
    const home = mkdtempSync(join(tmpdir(), 'ninefold-'));
    const secrets = ensureSecrets(home);
    expect(secrets.masterKey).toHaveLength(32);
    expect(ensureSecrets(home)).toEqual(secrets);
    expect(readOperatorToken(home)).toBe(secrets.operatorToken);
    expect(statSync(join(home, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'secrets/master-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, 'secrets/postgres-password'), 'utf8').trim()).toBe(secrets.postgresPassword);
  });

  it('says so where the home cannot be written', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ninefold-')), 'file');
    writeFileSync(file, '');
    expect(() => ensureSecrets(file)).toThrow(/cannot be written.*NINEFOLD_HOME/);
  });
});
