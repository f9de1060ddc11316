import { describe, expect, it } from 'vitest';
import { conditionClasses, conditionNames, sqlstatesByName } from '../../contract/errors/conditions.ts';
import { postgresErrors } from '../../contract/errors/postgres.ts';
import { statusOfSqlstate } from '../../contract/errors/sqlstate-status.ts';

describe('PostgreSQL errors in the contract', () => {
  it('have the status that /rest/v1 responds with', () => {
    const reported = Object.entries(postgresErrors).map(([code, { status }]) => [code, status]);
    expect(reported).toEqual(Object.keys(postgresErrors).map((code) => [code, statusOfSqlstate(code)]));
  });

  it('have SQLSTATEs that PostgreSQL defines', () => {
    expect(Object.keys(postgresErrors).filter((code) => !conditionNames.has(code))).toEqual([]);
  });
});

describe('conditionNames and conditionClasses', () => {
  it('contain only codes of five characters whose class has a name too', () => {
    const broken = [...conditionNames].filter(
      ([code, name]) =>
        !/^[0-9A-Z]{5}$/.test(code) || !conditionClasses.has(code.slice(0, 2)) || !/^[a-z_0-9]+$/.test(name),
    );
    expect(broken).toEqual([]);
    expect(conditionNames.size).toBeGreaterThan(240);
  });

  it('are found by their name; if two SQLSTATEs have the same name, the first one is found', () => {
    expect(sqlstatesByName.get('unique_violation')).toBe('23505');
    expect(sqlstatesByName.get('raise_exception')).toBe('P0001');
    expect(sqlstatesByName.get('null_value_not_allowed')).toBe('22004');
  });
});

describe('statusOfSqlstate', () => {
  it.each([
    ['PT402', 402],
    ['PT999', 500],
    ['PTxyz', 500],
    ['23505', 409],
    ['P0001', 400],
    ['P0003', 500],
    ['A0001', 400],
  ])('returns for %s the status %i', (code, status) => expect(statusOfSqlstate(code)).toBe(status));

  it('returns 401 for anonymous callers for the SQLSTATE with which signed-in members get 403', () => {
    expect([statusOfSqlstate('42501', '', true), statusOfSqlstate('42501', '', false)]).toEqual([403, 401]);
  });
});
