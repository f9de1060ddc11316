import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

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
