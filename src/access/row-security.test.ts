import { describe, expect, it } from 'vitest';
import { clauseFor, combinePolicies, type PolicyCheck, policyChecks, unboundReason } from './row-security.ts';

const shown = (checks: readonly PolicyCheck[]): string =>
  checks.map(({ command, of }) => `${command} ${of}`).join(', ');

describe('policyChecks', () => {
  it.each([
    ['select', true, 'select existing'],
    ['insert', false, 'insert new'],
    ['insert', true, 'insert new, select new'],
    ['update', false, 'update existing, update new'],
    ['update', true, 'update existing, select existing, update new, select new'],
    ['delete', true, 'delete existing, select existing'],
  ] as const)(
    'returns the policies that PostgreSQL evaluates for %s, with fields read: %s',
    (operation, reads, checks) => {
      expect(shown(policyChecks(operation, reads))).toBe(checks);
    },
  );
});

describe('clauseFor', () => {
  it('applies USING to new rows if the policy has no WITH CHECK or is for SELECT', () => {
    const both = { permissive: true, using: 'a', check: 'b' };
    const only = { ...both, check: null };
    expect(clauseFor(both, { command: 'update', of: 'existing' })).toBe('using');
    expect(clauseFor(both, { command: 'update', of: 'new' })).toBe('check');
    expect(clauseFor(both, { command: 'select', of: 'new' })).toBe('using');
    expect(clauseFor(only, { command: 'insert', of: 'new' })).toBe('using');
  });
});

describe('combinePolicies', () => {
  const sql = {
    or: (items: readonly string[]) => `(${items.join(' or ')})`,
    and: (items: readonly string[]) => items.join(' and '),
    none: 'false',
  };
  const permissive = (result: string) => ({ permissive: true, result });
  const restrictive = (result: string) => ({ permissive: false, result });

  it('requires one permissive policy and every restrictive policy', () => {
    expect(combinePolicies([permissive('a'), restrictive('r'), permissive('b')], sql)).toBe('(a or b) and r');
  });

  it('lets no row pass without a permissive policy', () => {
    expect(combinePolicies([restrictive('r')], sql)).toBe('false');
    expect(combinePolicies([], sql)).toBe('false');
  });
});

describe('unboundReason', () => {
  const on = { row_security: true, force_row_security: false };

  it('returns the reason why row-level security does not limit the rows of a role', () => {
    expect(unboundReason({ ...on, row_security: false }, { bypasses: false, owns: false })).toBe('off');
    expect(unboundReason(on, { bypasses: true, owns: false })).toBe('bypasses');
    expect(unboundReason(on, { bypasses: false, owns: true })).toBe('owner');
  });

  it('returns null for the owner if row-level security is forced', () => {
    expect(unboundReason({ ...on, force_row_security: true }, { bypasses: false, owns: true })).toBeNull();
    expect(unboundReason(on, { bypasses: false, owns: false })).toBeNull();
  });
});
