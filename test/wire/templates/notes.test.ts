import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createApp, runSql } from '../../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../../support/clients.ts';
import { png } from '../../support/pictures.ts';
import { expectSoundSpecification } from './sound-specification.ts';

const node = inject('node');

let app: AppConnection;
let ada: Member;
let bob: Member;
let carl: Member;

beforeAll(async () => {
  app = await createApp(node, { template: 'notes' });
  [ada, bob, carl] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'bob'), signUpMember(app, 'carl')]);
});

async function make({ client }: Member, table: 'notebooks' | 'notes' | 'tags', row: object): Promise<string> {
  const { data } = await client.from(table).insert(row).select('id').single().throwOnError();
  return data.id;
}

const update = ({ client }: Pick<Member, 'client'>, id: string, change: object) =>
  client.from('notes').update(change).eq('id', id).select('title, status, notebook, published_at, archived_at');

const reads = async ({ client }: Member, id: string) =>
  (await client.from('notes').select('id').eq('id', id).throwOnError()).data.length === 1;

/** Adds Bob to a notebook of Ada's. */
async function share(notebook: string, rights: 'read' | 'write'): Promise<void> {
  const { data } = await ada.client
    .from('invitations')
    .insert({ notebook, rights })
    .select('code')
    .single()
    .throwOnError();
  const joined = await bob.client.rpc('join_notebook', { code: data.code }).throwOnError();
  expect(joined.data.id).toBe(notebook);
}

describe('a note', () => {
  it('is visible only to its author, except while it is published in a shared notebook', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'Garden' });
    await share(notebook, 'read');
    const id = await make(ada, 'notes', { title: 'Roses', body: 'Cut in March.', notebook });
    expect([await reads(ada, id), await reads(bob, id), await reads(carl, id)]).toEqual([true, false, false]);
    expect((await update(ada, id, { status: 'published' })).data).toMatchObject([
      { status: 'published', published_at: expect.any(String) },
    ]);
    expect([await reads(bob, id), await reads(carl, id)]).toEqual([true, false]);
    expect((await clientOf(app).from('notes').select('id')).error?.code).toBe('42501');
    expect((await update(ada, id, { status: 'archived' })).data).toMatchObject([{ archived_at: expect.any(String) }]);
    expect(await reads(bob, id)).toBe(false);
    expect((await update(ada, id, { status: 'draft' })).data).toMatchObject([{ status: 'draft', archived_at: null }]);
  });

  it('can be published only in a notebook, and only from a draft', async () => {
    const id = await make(ada, 'notes', { title: 'Alone' });
    const nowhere = await update(ada, id, { status: 'published' });
    expect([nowhere.status, nowhere.error?.code]).toEqual([409, 'NF003']);
    await update(ada, id, { status: 'archived' }).throwOnError();
    const back = await update(ada, id, { status: 'published' });
    expect([back.status, back.error?.code]).toEqual([409, 'NF001']);
    expect(back.error?.hint).toContain('restore (to draft)');
    const server = await update({ client: clientOf(app, app.secret_key) }, id, { status: 'draft' });
    expect([server.status, server.error?.code]).toEqual([409, 'NF001']);
  });

  it('stays in its notebook while it is published', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'Kept' });
    const id = await make(ada, 'notes', { title: 'Here', notebook });
    await update(ada, id, { status: 'published' }).throwOnError();
    expect((await update(ada, id, { notebook: null })).error?.code).toBe('NT004');
    expect((await update(ada, id, { status: 'draft', notebook: null })).data).toMatchObject([
      { status: 'draft', notebook: null },
    ]);
  });

  it('cannot be written in another member’s name or notebook', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'Hers' });
    const foreign = await bob.client.from('notes').insert({ title: 'x', notebook });
    expect([foreign.status, foreign.error?.code]).toEqual([403, '42501']);
    const named = await bob.client.from('notes').insert({ title: 'x', owner: ada.user.id });
    expect([named.status, named.error?.code]).toEqual([403, '42501']);
  });
});

describe('a shared notebook', () => {
  it('with read access shows its published notes and accepts no writes', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'To read' });
    const id = await make(ada, 'notes', { title: 'Plan', notebook });
    await update(ada, id, { status: 'published' }).throwOnError();
    await share(notebook, 'read');
    expect(await reads(bob, id)).toBe(true);
    expect((await update(bob, id, { body: 'mine' })).data).toEqual([]);
    expect((await bob.client.from('notes').insert({ title: 'x', notebook })).error?.code).toBe('42501');
    expect((await bob.client.from('notebooks').update({ title: 'x' }).eq('id', notebook).select()).data).toEqual([]);
    expect((await bob.client.from('invitations').insert({ notebook })).error?.code).toBe('42501');
  });

  it('with write access lets members change notes, but only the author of a note change its state', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'To write' });
    const id = await make(ada, 'notes', { title: 'Plan', notebook });
    await update(ada, id, { status: 'published' }).throwOnError();
    await share(notebook, 'write');
    expect((await update(bob, id, { title: 'A better plan' })).data).toMatchObject([{ title: 'A better plan' }]);
    const archived = await update(bob, id, { status: 'archived' });
    expect([archived.status, archived.error?.code]).toEqual([409, 'NF001']);
    const elsewhere = await make(bob, 'notebooks', { title: 'Bob’s' });
    expect((await update(bob, id, { notebook: elsewhere })).error?.code).toMatch(/NT003|42501/);
    const own = await make(bob, 'notes', { title: 'An idea', notebook });
    expect(await reads(ada, own)).toBe(false);
    await update(bob, own, { status: 'published' }).throwOnError();
    expect(await reads(ada, own)).toBe(true);
    expect((await ada.client.from('notes').delete().eq('id', own).select()).data).toEqual([]);
  });

  it('ends for a member who leaves or is removed, and the member’s own notes stay with the member', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'For a while' });
    await share(notebook, 'write');
    const own = await make(bob, 'notes', { title: 'Bob’s idea', notebook });
    await update(bob, own, { status: 'published' }).throwOnError();
    const sentAway = await ada.client.from('shares').delete().match({ notebook, member: bob.user.id }).select('member');
    expect(sentAway.data).toEqual([{ member: bob.user.id }]);
    expect((await bob.client.from('notebooks').select('id').eq('id', notebook)).data).toEqual([]);
    expect((await update(bob, own, { status: 'draft', notebook: null })).error).toBeNull();
    await share(notebook, 'read');
    expect((await bob.client.from('shares').delete().match({ notebook }).select('member')).data).toHaveLength(1);
  });

  it('can be joined only with its code, while the invitation is valid', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'Invited' });
    const { data } = await ada.client.from('invitations').insert({ notebook }).select('code').single().throwOnError();
    expect((await bob.client.from('invitations').select('code')).data).toEqual([]);
    const guessed = await bob.client.rpc('join_notebook', { code: crypto.randomUUID() });
    expect([guessed.status, guessed.error?.code]).toEqual([400, 'NT001']);
    expect((await ada.client.rpc('join_notebook', { code: data.code })).error?.code).toBe('NT002');
    expect((await clientOf(app).rpc('join_notebook', { code: data.code })).error?.code).toBe('42501');
    const direct = await carl.client.from('shares').insert({ notebook, owner: ada.user.id, member: carl.user.id });
    expect([direct.status, direct.error?.code]).toEqual([403, '42501']);
    const long = await ada.client.from('invitations').insert({ notebook, expires_at: '2999-01-01' });
    expect(long.error).toMatchObject({ code: '23514', hint: 'An invitation expires within 90 days.' });
    await runSql(node, app.ref, `update public.invitations set expires_at = now() where code = '${data.code}'`);
    expect((await bob.client.rpc('join_notebook', { code: data.code })).error?.code).toBe('NT001');
  });

  it('has in the library of each member the number of notes that the member can see', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'Counted' });
    await make(ada, 'notes', { title: 'Draft', notebook });
    const id = await make(ada, 'notes', { title: 'Published', notebook });
    await update(ada, id, { status: 'published' }).throwOnError();
    await share(notebook, 'read');
    const library = async ({ client }: Member) =>
      (await client.from('library').select('own, rights, published, drafts').eq('id', notebook)).data;
    expect(await library(ada)).toEqual([{ own: true, rights: null, published: 1, drafts: 1 }]);
    expect(await library(bob)).toEqual([{ own: false, rights: 'read', published: 1, drafts: 0 }]);
    expect(await library(carl)).toEqual([]);
  });
});

describe('the pictures of a note', () => {
  const pictures = ({ client }: Member) => client.storage.from('pictures');
  const sees = async (member: Member, path: string) => (await pictures(member).download(path)).error === null;

  it('are visible to its readers, and are deleted with it', async () => {
    const path = `${ada.user.id}/notes/${crypto.randomUUID()}/rose.png`;
    const picture = new Blob([new Uint8Array(png(8, 8, [200, 0, 0]))], { type: 'image/png' });
    expect((await pictures(ada).upload(path, picture)).error).toBeNull();
    const notebook = await make(ada, 'notebooks', { title: 'Roses' });
    await share(notebook, 'read');
    const id = await make(ada, 'notes', { title: 'Red', notebook, pictures: [path] });
    expect([await sees(ada, path), await sees(bob, path), await sees(carl, path)]).toEqual([true, false, false]);
    await update(ada, id, { status: 'published' });
    expect([await sees(bob, path), await sees(carl, path)]).toEqual([true, false]);
    const stolen = await carl.client.from('notes').insert({ title: 'Mine', pictures: [path] });
    expect(stolen.error?.code).toBe('NT005');
    await ada.client.from('notes').delete().eq('id', id).throwOnError();
    expect([await sees(ada, path), await sees(bob, path)]).toEqual([false, false]);
  });

  it('are images of at most 10 MB', async () => {
    const path = `${ada.user.id}/notes/${crypto.randomUUID()}/page.html`;
    const refused = await pictures(ada).upload(path, new Blob(['<p>'], { type: 'text/html' }));
    expect(refused.error).toMatchObject({ message: expect.stringContaining('text/html') });
  });
});

describe('search', () => {
  it('tags belong to each member, also on the same note', async () => {
    const notebook = await make(ada, 'notebooks', { title: 'Tagged' });
    const id = await make(ada, 'notes', { title: 'Tagged note', notebook });
    await update(ada, id, { status: 'published' }).throwOnError();
    await share(notebook, 'read');
    for (const [member, name] of [
      [ada, 'todo'],
      [bob, 'read-later'],
    ] as const) {
      const tag = await make(member, 'tags', { name });
      await member.client.from('note_tags').insert({ note: id, tag }).throwOnError();
      const { data } = await member.client.from('notes').select('tags(name)').eq('id', id).single().throwOnError();
      expect(data.tags).toEqual([{ name }]);
    }
    const carls = await make(carl, 'tags', { name: 'todo' });
    expect((await carl.client.from('note_tags').insert({ note: id, tag: carls })).error?.code).toBe('42501');
    expect((await carl.client.from('tags').insert({ name: 'todo' })).error).toMatchObject({
      code: '23505',
      hint: 'You have a tag of this name already.',
    });
    expect((await carl.client.from('tags').insert({ name: 'two words' })).error?.code).toBe('23514');
  });

  it('words are found in notes that the caller may read, except in archived notes', async () => {
    const id = await make(ada, 'notes', { title: 'Zeppelin', body: 'It flies over the lake.' });
    const find = async ({ client }: Member, words: string) =>
      (await client.rpc('search_notes', { words }).select('id')).data;
    expect(await find(ada, 'zeppelin -train')).toEqual([{ id }]);
    expect(await find(bob, 'zeppelin')).toEqual([]);
    await update(ada, id, { status: 'archived' }).throwOnError();
    expect(await find(ada, 'zeppelin')).toEqual([]);
  });
});

it('the template has a complete specification: content in every chapter, no broken screen, no advice', () =>
  expectSoundSpecification(node, app.ref, {
    machine: 'public.notes',
    codes: ['NT001', 'NT002', 'NT003', 'NT004', 'NT005'],
  }));
