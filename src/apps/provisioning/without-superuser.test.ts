import { describe, expect, it } from 'vitest';
import { rightNames } from '../../../contract/server-rights.ts';
import { appFiles, consoleFiles } from './schema-files.ts';
import { replaced, withoutSuperuser } from './without-superuser.ts';

const files = [...appFiles, ...consoleFiles];

describe('withoutSuperuser', () => {
  it('finds each text that it replaces', () => {
    for (const [name, pairs] of Object.entries(replaced)) {
      const sql = files.find((file) => file.name === name)?.sql ?? '';
      for (const [text] of pairs) expect([name, sql.includes(text)]).toEqual([name, true]);
    }
  });

  it('leaves nothing that only a superuser may do', () => {
    const refused =
      /^(?:create|alter) event trigger|allow_system_table_mods|pg_authid|pg_user_mapping\b|\br\.rolsuper and|rolsuper$/m;
    for (const file of files) {
      const left = withoutSuperuser(file, rightNames)
        .replaceAll(/--.*/g, '')
        // The function returns before this statement.
        .replace(/return;\s+update pg_catalog\.pg_extension[^;]*;/, '');
      expect([file.name, refused.exec(left)?.[0]]).toEqual([file.name, undefined]);
    }
  });

  it('keeps event triggers for a login that may create them', () => {
    const kept = withoutSuperuser(files[0] ?? { name: '', sql: '' }, ['catalog']);
    expect(kept).toContain('create event trigger ninefold_schema_changed');
  });
});
