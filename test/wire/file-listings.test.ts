import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';

const node = inject('node');
const names = ['a.txt', 'b/1', 'b/2', 'b0', 'c/d/1', 'c/e', 'd', 'é/1', '\u{10FFFF}/z'];

interface Page {
  hasNext: boolean;
  nextCursor?: string;
  folders: { name: string }[];
  objects: { name: string }[];
}

let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
  const values = names.map((name) => `('files', '${name}', '{}')`).join(', ');
  await runSql(
    node,
    app.ref,
    `insert into storage.buckets (id, name) values ('files', 'files'), ('other', 'other');
    insert into storage.objects (bucket_id, name, metadata) values ${values}, ('other', 'b/3', '{}')`,
  );
});

/** Lists all pages of two entries, and returns the names in the order of the response. */
async function allPages(body: object): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const response = await fetch(`${app.url}/storage/v1/object/list-v2/files`, {
      method: 'POST',
      headers: {
        apikey: app.secret_key,
        authorization: `Bearer ${app.secret_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ limit: 2, ...body, ...(cursor !== undefined && { cursor }) }),
    });
    expect(response.status).toBe(200);
    const page = (await response.json()) as Page;
    found.push(...page.folders.map(({ name }) => name), ...page.objects.map(({ name }) => name));
    ({ hasNext: more, nextCursor: cursor } = page);
  }
  return found;
}

describe('list-v2', () => {
  it.each([
    ['every file of the bucket', { prefix: '' }, names],
    ['the files below a prefix', { prefix: 'b/' }, ['b/1', 'b/2']],
    ['the files whose paths start with a prefix', { prefix: 'b' }, ['b/1', 'b/2', 'b0']],
    ['no file of a missing folder', { prefix: 'x/' }, []],
  ])('pages through %s in both orders', async (_, body, expected) => {
    expect(await allPages(body)).toEqual(expected);
    expect(await allPages({ ...body, sortBy: { column: 'name', order: 'desc' } })).toEqual([...expected].reverse());
  });

  it.each([
    ['the top', { prefix: '' }, ['a.txt', 'b/', 'b0', 'c/', 'd', 'é/', '\u{10FFFF}/']],
    ['a folder', { prefix: 'c/' }, ['c/d/', 'c/e']],
  ])('pages through the folders and files of %s in both orders', async (_, body, expected) => {
    const sorted = (names: string[]) => names.sort();
    expect(sorted(await allPages({ ...body, with_delimiter: true }))).toEqual(sorted([...expected]));
    const down = { with_delimiter: true, sortBy: { column: 'name', order: 'desc' } };
    expect(sorted(await allPages({ ...body, ...down }))).toEqual(sorted([...expected]));
  });
});
