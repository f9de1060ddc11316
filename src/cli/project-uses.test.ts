import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { readUses, type Use } from './project-uses.ts';

const MIGRATION = 'supabase/migrations/1.sql';

async function usesOf(files: Record<string, string>, config: [string, string | boolean][] = []): Promise<Use[]> {
  const folder = await makeTestFolder('project');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  await symlink('/', join(folder, 'src-of-the-machine'));
  const functions = ['hello'].filter((name) => `supabase/functions/${name}/index.ts` in files);
  const migrations = { files: [{ name: '1.sql', sql: files[MIGRATION] ?? '' }] };
  return readUses(folder, migrations, { config: new Map(config), functions });
}

const namesOf = (uses: readonly Use[]) => Object.fromEntries(uses.map(({ service, used }) => [service, used]));

describe('readUses', () => {
  it('finds uses in statements, function bodies, config.toml, the front end and edge functions', async () => {
    const uses = await usesOf(
      {
        [MIGRATION]: `
        insert into storage.buckets (id, name) values ('avatars', 'avatars');
        alter publication supabase_realtime add table public.messages;
        create function public.secret() returns text language sql as $$
          select decrypted_secret from vault.decrypted_secrets where name = 'key' $$;
        do $$ begin perform pgmq.create('mails'); end $$;
        select cron.schedule('nightly', '0 3 * * *', $$select net.http_post('https://x/functions/v1/report')$$);
        create table public.documents (embedding extensions.vector(384));
        select graphql_public.graphql();
        -- insert into storage.buckets (id) values ('only in a comment');`,
        'supabase/functions/hello/index.ts': `await client.storage.from('papers').list();`,
        'supabase/functions/_shared/cors.ts': '',
        'src/app.tsx': `
        supabase.channel('room-1').subscribe(); supabase.functions.invoke("pay");
        await supabase
          .storage
          .from('pictures').upload();
        supabase.rpc('secret'); supabase.rpc('elsewhere');
        fetch(url + '/graphql/v1');`,
        'node_modules/x/index.js': `supabase.channel('of a package');`,
      },
      [['storage.buckets.files.public', true]],
    );
    expect(namesOf(uses)).toEqual({
      storage: ['files', 'avatars', 'pictures', 'papers'],
      realtime: ['public.messages', 'room-1'],
      functions: ['hello', 'report', 'pay'],
      vault: ['decrypted_secrets'],
      queues: ['mails'],
      jobs: ['nightly'],
      http: ['http_post'],
      vectors: ['vector(384)'],
      graphql: ['graphql'],
      rpc: ['secret', 'elsewhere'],
    });
  });

  it('gives the place of a use without a name, and finds nothing in a project that uses only tables', async () => {
    const files = {
      [MIGRATION]: 'select 1;\ncreate policy p on storage.objects for select using (true);',
    };
    expect(namesOf(await usesOf(files))).toEqual({ storage: ['1.sql:2'] });
    expect(await usesOf({ [MIGRATION]: 'create table public.a ();', 'src/a.ts': 'a();' })).toEqual([]);
  });

  it('names buckets and edge functions that the project does not create, and addresses of the old project', async () => {
    const uses = await usesOf({
      [MIGRATION]: `insert into storage.buckets (id, name) values ('avatars', 'avatars'), ('papers', 'papers');
        select net.http_post('https://abcdefghijklmnopqrst.supabase.co/functions/v1/report');`,
      'supabase/functions/hello/index.ts': '',
      'a.js': `supabase.storage.from('papers'); supabase.storage.from('pictures'); supabase.functions.invoke('hello');`,
    });
    const notes = Object.fromEntries(uses.map(({ service, note }) => [service, note]));
    expect(notes.storage).toContain('Neither migrations nor config.toml create pictures:');
    expect(notes.functions).toContain('The folder has no function report:');
    expect(uses).toContainEqual(expect.objectContaining({ service: 'old project', used: ['1.sql:2'], runs: false }));
  });

  it('names the functions called by rpc that no migration creates', async () => {
    const uses = await usesOf({
      [MIGRATION]: 'create or replace function "Total"() returns int as $$$$;',
      'a.js': `supabase.rpc('total'); supabase.rpc('other')`,
    });
    expect(uses).toMatchObject([
      { service: 'rpc', runs: false, note: expect.stringMatching(/^No migration creates other:/) },
    ]);
  });
});
