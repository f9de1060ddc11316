import { describe, expect, it } from 'vitest';
import type { RoleCell, RoleEntry } from '../../../../../contract/specification-roles.ts';
import { dropMigration, leastFirst, roleMigration } from './role-sql.ts';

describe('roleMigration', () => {
  it('creates a role, and is undone by its deletion', () => {
    expect(roleMigration('agent', " It's an agent. ", undefined)).toEqual({
      sql: "select ninefold.define_role('agent', 'It''s an agent.');",
      undo: "select ninefold.drop_role('agent');",
    });
  });

  it('describes a role, and is undone by the former description', () => {
    expect(roleMigration('agent', '', { description: 'Answers.' })).toEqual({
      sql: "select ninefold.define_role('agent');",
      undo: "select ninefold.define_role('agent', 'Answers.');",
    });
  });
});

describe('dropMigration', () => {
  it('deletes a role, and its undo grants the role again to the members who had it', () => {
    expect(dropMigration({ name: 'agent', description: null }, [{ id: 'a' }]).undo.split('\n')).toEqual([
      "select ninefold.define_role('agent');",
      "select ninefold.grant_role('a'::uuid, 'agent');",
    ]);
  });
});

describe('leastFirst', () => {
  it('orders roles by what they allow, and equal roles by name', () => {
    const entry = (name: string): RoleEntry =>
      ({ name: `${name} (of members)`, member_role: name }) as unknown as RoleEntry;
    const cell = (role: string, verdict: RoleCell['verdict']): RoleCell =>
      ({ role: `${role} (of members)`, verdict }) as unknown as RoleCell;
    const chapter = {
      roles: [entry('lead'), entry('agent'), entry('viewer')],
      cells: [cell('lead', 'always'), cell('lead', 'when'), cell('agent', 'always'), cell('viewer', 'never')],
    };
    expect(leastFirst(['lead', 'viewer', 'agent', 'unused'], chapter)).toEqual(['unused', 'viewer', 'agent', 'lead']);
  });
});
