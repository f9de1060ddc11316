import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

describe('readConfig', () => {
  it('has a default for every setting', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 9009,
      databaseUrl: null,
      domain: null,
      trustedProxies: 0,
    });
  });

  it('throws an error that names the invalid variable and the values that it accepts', () => {
    expect(() => readConfig({ NINEFOLD_PORT: '90o9' })).toThrow('NINEFOLD_PORT must be a whole number from 0 to 65535');
    expect(() => readConfig({ NINEFOLD_WORKERS: '0' })).toThrow(ConfigError);
    expect(() => readConfig({ NINEFOLD_URL: 'not a url' })).toThrow('NINEFOLD_URL must be a URL');
    expect(() => readConfig({ NINEFOLD_LOG: 'loud' })).toThrow('NINEFOLD_LOG must be one of trace, debug, info');
    expect(() => readConfig({ NINEFOLD_POOL: '0' })).toThrow('NINEFOLD_POOL must be a whole number from 1 to 100');
  });

  it('reads the variables of limits by the names of the limits', () => {
    const { limits } = readConfig({ NINEFOLD_POOL: '3', NINEFOLD_APP_LOCKS: '600' });
    expect(limits).toMatchObject({ poolConnections: 3, appLocks: 600, keepAliveSeconds: 125 });
  });
});

describe('a variable with _FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ninefold-'));
  const file = join(folder, 'url');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names a file with the value of a secret variable', () => {
    writeFileSync(file, 'postgres://ada:hidden@db/postgres\n');
    expect(readConfig({ NINEFOLD_DATABASE_URL_FILE: file }).databaseUrl).toBe('postgres://ada:hidden@db/postgres');
    writeFileSync(file, 'hidden');
    expect(() => readConfig({ NINEFOLD_DATABASE_URL_FILE: file })).toThrow(/^NINEFOLD_DATABASE_URL must be a URL\.$/);
  });

  it('is refused if the file is missing or empty, or the variable itself is set too', () => {
    writeFileSync(file, '\n');
    expect(() => readConfig({ NINEFOLD_DATABASE_URL_FILE: file })).toThrow('of NINEFOLD_DATABASE_URL_FILE is empty');
    expect(() => readConfig({ NINEFOLD_DATABASE_URL_FILE: folder })).toThrow('cannot be read (EISDIR)');
    writeFileSync(file, 'postgres://db');
    expect(() => readConfig({ NINEFOLD_DATABASE_URL_FILE: file, NINEFOLD_DATABASE_URL: 'postgres://db' })).toThrow(
      'NINEFOLD_DATABASE_URL and NINEFOLD_DATABASE_URL_FILE are both set: unset one of them.',
    );
  });
});

describe('NINEFOLD_TRUST_PROXY', () => {
  it.each([
    ['', 0],
    ['0', 0],
    ['1', 1],
    ['2', 2],
    ['32', 32],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['127.0.0.1, ::1 ,fd00::/8', ['127.0.0.1', '::1', 'fd00::/8']],
  ])('reads the proxies in “%s”', (value, proxies) => {
    expect(readConfig({ NINEFOLD_TRUST_PROXY: value }).trustedProxies).toEqual(proxies);
  });

  it.each(['true', '-1', '1.5', '33', '1,2', '10.0.0.0/33', '::/129', '10.0.0.0/', 'proxy.example', '10.0.0.1,', '*'])(
    'rejects “%s” with one sentence',
    (value) => {
      expect(() => readConfig({ NINEFOLD_TRUST_PROXY: value })).toThrow(ConfigError);
      expect(() => readConfig({ NINEFOLD_TRUST_PROXY: value })).toThrow(
        'NINEFOLD_TRUST_PROXY must be a number of proxies from 0 to 32, or their addresses and networks, such as 10.0.0.0/8,::1, not',
      );
    },
  );
});

describe('NINEFOLD_HOSTS', () => {
  it('reads names and addresses in the form in which URLs have them', () => {
    const { hosts } = readConfig({ NINEFOLD_HOSTS: 'Console.internal, 10.0.0.7,fd00::7,[FD00::8], bücher.example,' });
    expect(hosts).toEqual(['console.internal', '10.0.0.7', '[fd00::7]', '[fd00::8]', 'xn--bcher-kva.example']);
    expect(readConfig({}).hosts).toEqual([]);
  });

  it.each(['*', '*.example.com', 'a.example:80', 'http://a.example', 'a.example/x', 'user@a.example', '1', '0x7f.1'])(
    'rejects “%s” with one sentence',
    (value) => {
      expect(() => readConfig({ NINEFOLD_HOSTS: value })).toThrow(
        'NINEFOLD_HOSTS must hold host names and addresses without a port',
      );
    },
  );
});

describe('NINEFOLD_HTTP_ALLOW', () => {
  it.each([
    ['', []],
    ['10.0.0.0/8', [{ address: '10.0.0.0', bits: 8, port: null }]],
    [
      '127.0.0.1:8080, [::1]:81,[fd00::]/8',
      [
        { address: '127.0.0.1', bits: 32, port: 8080 },
        { address: '::1', bits: 128, port: 81 },
        { address: 'fd00::', bits: 8, port: null },
      ],
    ],
  ])('reads the networks in “%s”', (value, networks) => {
    expect(readConfig({ NINEFOLD_HTTP_ALLOW: value }).httpAllowed).toEqual(networks);
  });

  it.each(['*', 'localhost', '10.0.0.0/33', '::1', '[::1]/129', '127.0.0.1:0', '127.0.0.1:65536', '10.0.0.1/8/8'])(
    'rejects “%s” with one sentence',
    (value) => {
      expect(() => readConfig({ NINEFOLD_HTTP_ALLOW: value })).toThrow(
        'NINEFOLD_HTTP_ALLOW must hold addresses and networks',
      );
    },
  );
});
