import { describe, expect, it } from 'vitest';
import { connectionUrl, parseConnectionUrl } from './connection-config.ts';
import { ConnectionUrlError } from './split-url.ts';
import { quoteIdentifier, quoteLiteral } from './statement.ts';

const parse = (url: string) => parseConnectionUrl(url, 'test');
const tlsOf = (url: string) => parse(url).address.tls;

describe('parseConnectionUrl', () => {
  it('reads the URL formats of PostgreSQL clients, including escapes', () => {
    expect(parse('postgres://u%40x:p%2F:w@db.example:6432/my%20db?sslmode=verify-full')).toMatchObject({
      address: {
        hosts: [{ host: 'db.example', port: 6432 }],
        socketFolder: null,
        tls: 'verify-full',
        rootCertificate: null,
        channelBinding: 'disable',
      },
      database: 'my db',
      user: 'u@x',
      password: 'p/:w',
      applicationName: 'test',
    });
    expect(parse('postgresql://me@127.0.0.1')).toMatchObject({
      address: { hosts: [{ host: '127.0.0.1', port: 5432 }], tls: 'off' },
      database: 'me',
    });
  });

  it('reads several hosts, each with a port or without', () => {
    const { hosts } = parse('postgres://u:p@a:5433,b,[::1]:5434/db?target_session_attrs=read-write').address;
    expect(hosts).toEqual([
      { host: 'a', port: 5433 },
      { host: 'b', port: 5432 },
      { host: '::1', port: 5434 },
    ]);
  });

  it('round-trips a URL', () => {
    for (const url of [
      'postgres://a:b%2Fc@127.0.0.1:5433/app_x',
      'postgres://a:b@[::1]:5432/d?sslmode=require',
      'postgres://a:b@db.example:5432/d',
      'postgres://a:b@db.example:5432/d?sslmode=disable',
      'postgres://a:b@x:1,y:2/d?target_session_attrs=read-write&sslmode=verify-full&channel_binding=require',
    ]) {
      expect(connectionUrl(parse(url))).toBe(url);
    }
  });

  it('asks a server on another machine for TLS unless the URL says otherwise', () => {
    expect(tlsOf('postgres://a:b@db.example/d')).toBe('prefer');
    expect(tlsOf('postgres://a:b@127.0.0.1,10.0.0.2/d')).toBe('prefer');
    expect(tlsOf('postgres://a:b@localhost/d')).toBe('off');
    expect(tlsOf('postgres://a:b@db.example/d?host=/srv/data')).toBe('off');
    expect(tlsOf('postgres://a:b@db.example/d?sslmode=disable')).toBe('off');
  });

  it('uses the Unix socket of the URL, and still prints an address that works over TCP', () => {
    const target = parse('postgres://a:b@127.0.0.1:5433/d?host=/srv/data');
    expect(target.address).toMatchObject({ hosts: [{ host: '127.0.0.1' }], socketFolder: '/srv/data' });
    expect(connectionUrl(target)).toBe('postgres://a:b@127.0.0.1:5433/d');
  });

  it.each([
    ['https://example.com', /form postgres:/],
    ['postgres://a:b@h:99999/d', /host that cannot be read/],
    ['postgres://a:b@h,/d', /no host/],
    ['postgres://a:b@/d', /no host/],
    ['postgres://a:%zz@h/d', /hexadecimal/],
    ['postgres://a:b@h/d?options=-c%20geqo=off', /parameter “options”/],
    ['postgres://a:b@h/d?sslmode=allow', /“sslmode” .* not “allow”/],
    ['postgres://a:b@h/d?sslmode=require&sslmode=disable', /more than once/],
    ['postgres://a:b@h/d?target_session_attrs=any', /read-write or primary/],
    ['postgres://a:b@h/d?sslmode=disable&channel_binding=require', /needs TLS/],
    ['postgres://a:b@h/d?sslrootcert=/no/such/file', /ENOENT/],
  ])('refuses %s with a sentence that names the fault and has no password', (url, message) => {
    expect(() => parse(url)).toThrow(ConnectionUrlError);
    expect(() => parse(url)).toThrow(message);
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
