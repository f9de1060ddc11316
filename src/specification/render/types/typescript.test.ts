import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clone } from '../../../../test/support/clone.ts';
import { startTypedApp, type TypedApp } from '../../../../test/support/typed-app.ts';
import { jsonSchemas } from './json-schema.ts';
import { typescriptOf, typescriptTypes } from './typescript.ts';
import { zodSchemas } from './zod.ts';

let app: TypedApp;

beforeAll(async () => {
  app = await startTypedApp('typescript');
}, 60_000);

afterAll(async () => {
  await app?.stop();
});

/**
 * A program with a deliberate mistake, in a file of its own. If the compiler reports no error for it, the compiler has
 * not checked the files.
 */
const mistake = `import type { Tables } from './database.ts';\nexport const a: Tables<'tickets'>['title'] = 1;`;

/** Returns the errors that the compiler reports for a program, the generated files and the mistake. */
async function compile(program: string): Promise<string> {
  await writeFile(join(app.folder, 'database.ts'), typescriptTypes(app.types));
  await writeFile(join(app.folder, 'schemas.ts'), zodSchemas(app.types));
  await writeFile(join(app.folder, 'program.ts'), program);
  await writeFile(join(app.folder, 'mistake.ts'), mistake);
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    skipLibCheck: true,
    types: ['node'],
    allowImportingTsExtensions: true,
  };
  await writeFile(join(app.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  const tsc = join(clone, 'node_modules/.bin/tsc');
  return new Promise((resolve) => execFile(tsc, ['-p', app.folder], (_error, stdout) => resolve(stdout)));
}

it('typescriptTypes generates a type Database that gives supabase-js the types of selections, embeddings, writes and functions, and rejects mistakes', async () => {
  expect(
    await compile(`
import { createClient } from '@supabase/supabase-js';
import type { Database, Enums, Json, Tables, TablesInsert } from './database.ts';
import { schemas } from './schemas.ts';
import type { z } from 'zod';

const supabase = createClient<Database>('http://127.0.0.1:1', 'key');
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const yes = <T extends true>(): T | undefined => undefined;

export async function program() {
  const tickets = await supabase.from('tickets').select('title, tags, meta, customers (email, profiles (bio))');
  const [ticket] = tickets.data ?? [];
  if (ticket) {
    yes<Same<typeof ticket.title, string>>();
    yes<Same<typeof ticket.tags, string[]>>();
    yes<Same<typeof ticket.meta, Json>>();
    yes<Same<typeof ticket.customers, { email: string; profiles: { bio: string | null } | null }>>();
  }
  const back = await supabase.from('customers').select('id, tickets (id)').single();
  if (back.data) yes<Same<typeof back.data.tickets, { id: string }[]>>();
  const view = await supabase.from('open_tickets').select('title, customers (name)').single();
  if (view.data) yes<Same<typeof view.data.title, string | null>>();

  await supabase.from('tickets').insert({ title: 'abc', customer: 1 });
  await supabase.from('tickets').update({ status: 'closed', meta: { a: [1, null] } });
  await supabase.from('odd "name').insert({ 'a b': 1, class: true });
  await supabase.schema('api').from('things').select('id, other').eq('id', 1);
  // @ts-expect-error a title is needed
  await supabase.from('tickets').insert({ customer: 1 });
  // @ts-expect-error there is no such status
  await supabase.from('tickets').update({ status: 'gone' });
  // @ts-expect-error PostgreSQL numbers the rows itself
  await supabase.from('customers').insert({ id: 1, email: 'a@example.com', name: 'A' });
  // @ts-expect-error generated
  await supabase.from('tickets').update({ words: 'A' });
  // @ts-expect-error no such table
  supabase.from('nothing');
  // @ts-expect-error the view counts
  await supabase.from('counts').insert({ status: 'open' });

  const closed = await supabase.rpc('close', { ticket: 'x' });
  if (closed.data) yes<Same<typeof closed.data.title, string>>();
  const found = await supabase.rpc('search', { term: 'x' });
  yes<Same<typeof found.data, Database['public']['Tables']['tickets']['Row'][] | null>>();
  const totals = await supabase.rpc('totals');
  yes<Same<typeof totals.data, { status: Enums<'status'>; tickets: number }[] | null>>();
  const embedded = await supabase.from('tickets').select('id, first_same(title)').single();
  yes<Same<NonNullable<typeof embedded.data>['first_same'], { title: string } | null>>();
  const computed = await supabase.from('customers').select('id, label, latest(title)').single();
  yes<Same<typeof computed.data, { id: number; label: string | null; latest: { title: string } | null } | null>>();
  const whole = await supabase.from('customers').select().single();
  yes<Same<keyof NonNullable<typeof whole.data>, 'id' | 'email' | 'name'>>();
  const richest = await supabase.rpc('richest');
  yes<Same<keyof NonNullable<typeof richest.data>, 'id' | 'email' | 'name'>>();
  const flows = await supabase.from('flows').select('id, transitions, state_changes').single();
  if (flows.data) yes<Same<typeof flows.data.transitions, Json | null>>();
  // @ts-expect-error nobody writes what is computed
  await supabase.from('customers').update({ label: 'x' });
  const lone = await supabase.rpc('lone');
  yes<Same<typeof lone.data, { n: number } | null>>();
  const lones = await supabase.rpc('lones');
  yes<Same<typeof lones.data, { n: number }[] | null>>();
  const apart = await supabase.rpc('apart');
  yes<Same<typeof apart.data, Database['public']['CompositeTypes']['address'] | null>>();
  const answer = await supabase.rpc('answer');
  yes<Same<typeof answer.data, number | null>>();
  const sum = await supabase.rpc('add', { a: 1, b: 2 });
  yes<Same<typeof sum.data, number | null>>();
  const same = await supabase.rpc('add', { a: 'x' });
  yes<Same<typeof same.data, string | null>>();
  // @ts-expect-error a ticket is needed
  await supabase.rpc('close', { note: 'x' });

  yes<Same<Tables<'tickets'>['hidden'], 'a' | null>>();
  yes<Same<Tables<'tickets'>['address'], Database['public']['CompositeTypes']['address'] | null>>();
  yes<Same<Enums<'status'>, 'open' | 'closed' | 'it\\'s "odd"'>>();
  const row: TablesInsert<'profiles'> = { customer: 1 };
  await supabase.from('profiles').insert(row);

  // What the schemas let through is what may be inserted.
  const checked = schemas.tickets.insert.parse({});
  await supabase.from('tickets').insert(checked);
  const change: z.infer<typeof schemas.customers.update> = { name: 'A' };
  await supabase.from('customers').update(change);
}
`),
  ).toMatch(/^\S*mistake\.ts\(2,14\): error TS2322[^\n]*\n$/);
});

it('typescriptOf generates for one entity only the schemas and types of this entity, and the helpers that they need', async () => {
  const id = 'public.profiles';
  expect(Object.keys(JSON.parse(jsonSchemas(app.types, 'helpdesk', id)).$defs)).toEqual([
    'profiles.insert',
    'profiles.update',
  ]);
  const code = zodSchemas(app.types, id);
  expect(code).not.toContain('customers');
  expect(code).not.toContain('characters');
  expect(typescriptOf(app.types, id)).toMatch(/^\/\/ within Database\['public'\]\['Tables'\]\nprofiles: \{\n {2}Row: /);
  expect(typescriptOf(app.types, 'public.gone')).toBe('');
});
