import { describe, expect, it } from 'vitest';
import { otherEngine } from './check-server.ts';

describe('otherEngine', () => {
  it.each([
    ['PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit', null],
    ['PostgreSQL 15.20 (Debian 15.20-0+deb12u1) on x86_64-pc-linux-gnu', null],
    ['CockroachDB CCL v25.1.0 (x86_64-pc-linux-gnu)', 'CockroachDB'],
    ['PostgreSQL 15.2-YB-2025.2.3.0-b0 on x86_64-pc-linux-gnu', 'YugabyteDB'],
    ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.1', 'Redshift'],
    ['Something else 1.0', '“Something else 1.0”'],
  ])('names the engine of “%s”: %s', (version, name) => {
    expect(otherEngine(version)).toBe(name);
  });
});
