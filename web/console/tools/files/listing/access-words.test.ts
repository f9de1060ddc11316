import { describe, expect, it } from 'vitest';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import { accessWords } from './access-words.ts';

const cell = (role: string, operation: RoleCell['operation'], verdict: RoleCell['verdict'], words = ''): RoleCell => ({
  ...{ role, entity: 'photos', operation, verdict, words },
  ...{ reason: '', policies: [], columns: null },
});

describe('accessWords', () => {
  it('joins operations that have the same condition', () => {
    const own = 'the first folder of name is the member’s id';
    const cells = [
      cell('anon', 'select', 'never'),
      cell('authenticated', 'select', 'when', own),
      cell('authenticated', 'insert', 'when', own),
      cell('authenticated', 'delete', 'always'),
    ];
    expect(accessWords(cells, false)).toBe(`Members read and add files when ${own}. Members delete every file.`);
  });

  it('says who reaches the files if no policy lets anybody', () => {
    expect(accessWords([cell('authenticated', 'select', 'never')], false)).toBe(
      'No policy lets members reach the files. Only the console and the secret key do.',
    );
  });

  it('begins with the public address of a public bucket', () => {
    expect(accessWords([cell('anon', 'select', 'always')], true)).toBe(
      'Everybody with its address downloads a file. Without a session, callers read every file.',
    );
  });

  it('does not describe roles other than members and callers without a session', () => {
    expect(accessWords([cell('service_role', 'delete', 'always')], true)).toBe(
      'Everybody with its address downloads a file. No policy lets members add, change or delete files.',
    );
  });
});
