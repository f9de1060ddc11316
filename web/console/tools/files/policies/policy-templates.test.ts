import { describe, expect, it } from 'vitest';
import { policyMigration, policyMigrationName } from './policy-templates.ts';

const none = new Set<string>();

describe('policyMigration', () => {
  it('writes the policy of an own folder and the statement that takes it back', () => {
    expect(policyMigration('own-folder', 'avatars', none)).toEqual({
      sql: `create policy "own folder in avatars" on storage.objects
  for all to authenticated
  using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid()::text));`,
      undo: 'drop policy "own folder in avatars" on storage.objects;',
    });
  });

  it('writes one policy for each command of members who upload', () => {
    const { sql, undo } = policyMigration('member-upload', 'photos', none);
    expect(sql.match(/for (\w+) to authenticated/g)).toEqual([
      'for insert to authenticated',
      'for select to authenticated',
      'for delete to authenticated',
    ]);
    expect(sql).toContain("with check (bucket_id = 'photos');");
    expect(undo.split('\n')).toHaveLength(3);
  });

  it('quotes a bucket whose name has quotes', () => {
    expect(policyMigration('public-read', `o'clock "9"`, none).sql).toContain(
      `on storage.objects\n  for select to anon, authenticated\n  using (bucket_id = 'o''clock "9"');`,
    );
  });

  it('chooses another name if a policy has the name', () => {
    const { undo } = policyMigration('member-read', 'photos', new Set(['members read photos']));
    expect(undo).toBe('drop policy "members read photos 2" on storage.objects;');
  });

  it('keeps the names within the 63 bytes that PostgreSQL stores', () => {
    const long = 'ü'.repeat(90);
    const first = policyMigration('member-read', long, none).undo.split('"')[1] ?? '';
    const second = policyMigration('member-read', long, new Set([first])).undo.split('"')[1] ?? '';
    expect(Buffer.byteLength(first)).toBeLessThanOrEqual(63);
    expect(Buffer.byteLength(second)).toBeLessThanOrEqual(63);
    expect(second).not.toBe(first);
  });
});

describe('policyMigrationName', () => {
  it('begins with the time and has no character that a file name lacks', () => {
    expect(policyMigrationName('own-folder', 'My files', new Date('2026-11-28T16:45:00Z'))).toBe(
      '20261128164500_own_folder_my_files.sql',
    );
  });
});
