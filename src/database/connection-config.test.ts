import { describe, expect, it } from 'vitest';
import { connectionUrl, parseConnectionUrl } from './connection-config.ts';
import { ServerState } from './server-state.ts';
import { quoteIdentifier, quoteLiteral } from './statement.ts';

describe('parseConnectionUrl', () => {
  it('reads the URL formats of PostgreSQL clients, including escapes', () => {
    expect(parseConnectionUrl('postgres://u%40x:p%2Fw@db.example:6432/my%20db?sslmode=verify-full', 'test')).toEqual({
      host: 'db.example',
      port: 6432,
      socketFolder: null,
      database: 'my db',
      user: 'u@x',
      password: 'p/w',
      tls: 'verify',
      applicationName: 'test',
      serverState: new ServerState(),
    });
    expect(parseConnectionUrl('postgresql://me@127.0.0.1', 'test')).toMatchObject({
      port: 5432,
      database: 'me',
      tls: 'off',
    });
  });

  it('round-trips a URL', () => {
    for (const url of ['postgres://a:b%2Fc@127.0.0.1:5433/app_x', 'postgres://a:b@[::1]:5432/d?sslmode=require']) {
      expect(connectionUrl(parseConnectionUrl(url, 'test'))).toBe(url);
    }
  });

  it('uses the Unix socket of the URL, and still prints an address that works over TCP', () => {
    const target = parseConnectionUrl('postgres://a:b@127.0.0.1:5433/d?host=/srv/data', 'test');
    expect(target).toMatchObject({ host: '127.0.0.1', socketFolder: '/srv/data' });
    expect(connectionUrl(target)).toBe('postgres://a:b@127.0.0.1:5433/d');
  });

  it('rejects a URL of another scheme', () => {
    expect(() => parseConnectionUrl('https://example.com', 'test')).toThrow(TypeError);
  });
});

describe('quoteIdentifier and quoteLiteral', () => {
  it('keep hostile names and strings inside their quotes', () => {
    expect(quoteIdentifier('a"; drop table b; --')).toBe('"a""; drop table b; --"');
    expect(quoteLiteral("it's")).toBe("'it''s'");
    expect(quoteLiteral("a\\'b")).toBe(" E'a\\\\''b'");
    expect(() => quoteLiteral('a\0b')).toThrow(TypeError);
  });
});
