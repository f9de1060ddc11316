import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memberWith, type StorageApp, startStorageApp } from '../../../test/support/storage-app.ts';

let app: StorageApp;
beforeAll(async () => {
  app = await startStorageApp('list-sql');
  await app.sql(`
    insert into storage.buckets (id, name) values ('b', 'b'), ('other', 'other');
    insert into storage.objects (bucket_id, name) values ('other', 'a'), ('other', 'a/b');
    create policy own on storage.objects for select to authenticated using (owner_id = auth.uid()::text)`);
});
afterAll(() => app?.stop());

const member = memberWith('00000000-0000-4000-8000-000000000001');

interface Node {
  readonly name: string;
  readonly isOwn: boolean;
}

/** Compares texts by their bytes in UTF-8, as PostgreSQL does with the collation "C". */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Returns the entries of a listing: complete paths, and folders with a slash at the end. */
function entriesOf(names: readonly string[], prefix: string, isFlat: boolean): string[] {
  const entries = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => {
      const slash = isFlat ? -1 : name.indexOf('/', prefix.length);
      return slash === -1 ? name : name.slice(0, slash + 1);
    });
  return [...new Set(entries)].sort(byBytes);
}

async function put(nodes: readonly Node[]): Promise<void> {
  const rows = JSON.stringify(nodes.map(({ name, isOwn }) => ({ name, owner: isOwn ? member.userId : null })));
  await app.database.pool.run([
    { text: `delete from storage.objects where bucket_id = 'b'`, params: [], planKey: '' },
    {
      text: `insert into storage.objects (bucket_id, name, owner_id, created_at)
        select 'b', r ->> 'name', r ->> 'owner', '2026-01-01'::timestamptz + n * interval '1 minute'
        from jsonb_array_elements($1::jsonb) with ordinality e (r, n)`,
      params: [rows],
      planKey: '',
    },
  ]);
}

interface PageV2 {
  readonly hasNext: boolean;
  readonly nextCursor?: string;
  readonly folders: readonly { readonly name: string }[];
  readonly objects: readonly { readonly name: string }[];
}

/** Reads all pages of list-v2. Returns the folders and the objects in the order of arrival, and the sizes of the pages. */
async function pagesOf(options: Record<string, unknown>, as = member) {
  const found = { folders: [] as string[], objects: [] as string[], sizes: [] as number[] };
  for (let cursor: string | undefined; ; ) {
    const body = JSON.stringify({ ...options, cursor });
    const page = (await app.send('POST', '/object/list-v2/b', { body, as })).json<PageV2>();
    found.folders.push(...page.folders.map(({ name }) => name));
    found.objects.push(...page.objects.map(({ name }) => name));
    found.sizes.push(page.folders.length + page.objects.length);
    if (!page.hasNext) return found;
    cursor = page.nextCursor;
  }
}

/** Segments whose characters sort before, at and after the slash, and outside of ASCII. */
const segment = fc
  .array(fc.constantFrom('a', 'A', 'b', '-', '.', '0', '!', '~', 'ü', '灯', '\u{1F600}', '\u{10FFFF}', '%', '_'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((characters) => characters.join(''));
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
const nodes = fc.uniqueArray(fc.record({ name: path, isOwn: fc.boolean() }), {
  selector: ({ name }) => name,
  minLength: 1,
  maxLength: 40,
});

describe('a listing of random paths', () => {
  it('equals a naive model with each page size, order, delimiter and policy', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(nodes, fc.nat(), fc.integer({ min: 1, max: 12 }), async (all, pick, limit) => {
        await put(all);
        const own = all.filter(({ isOwn }) => isOwn).map(({ name }) => name);
        const from = all[pick % all.length]?.name ?? '';
        const prefix = from.slice(0, pick % (from.length + 1)).replace(/[\ud800-\udbff]$/, '');
        for (const isFlat of [true, false]) {
          const expected = entriesOf(own, prefix, isFlat);
          for (const order of ['asc', 'desc'] as const) {
            const options = { prefix, limit, with_delimiter: !isFlat, sortBy: { column: 'name', order } };
            const pages = await pagesOf(options);
            const inOrder = order === 'asc' ? expected : [...expected].reverse();
            expect(pages.folders).toEqual(inOrder.filter((entry) => entry.endsWith('/')));
            expect(pages.objects).toEqual(inOrder.filter((entry) => !entry.endsWith('/')));
            expect(pages.sizes.slice(0, -1)).toEqual(pages.sizes.slice(0, -1).map(() => limit));
            const byTime = await pagesOf({ ...options, sortBy: { column: 'created_at', order } });
            const times = own.filter((name) => expected.includes(name));
            expect(byTime.objects).toEqual(order === 'asc' ? times : times.reverse());
            expect([...byTime.folders].sort(byBytes)).toEqual(expected.filter((entry) => entry.endsWith('/')));
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('of the first version equals the model with each offset and search', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(nodes, fc.nat(), fc.integer({ min: 1, max: 6 }), segment, async (all, pick, limit, search) => {
        await put(all);
        const names = all.map(({ name }) => name);
        const folders = ['', ...entriesOf(names, '', false).filter((entry) => entry.endsWith('/'))];
        const prefix = folders[pick % folders.length] ?? '';
        for (const wanted of ['', search]) {
          const expected = entriesOf(names, prefix, false)
            .map((entry) => entry.slice(prefix.length).replace(/\/$/, ''))
            .filter((name) => name.toLowerCase().startsWith(wanted.toLowerCase()));
          for (const order of ['asc', 'desc'] as const) {
            const listed: string[] = [];
            for (let offset = 0; ; offset += limit) {
              const body = JSON.stringify({ prefix, limit, offset, search: wanted, sortBy: { column: 'name', order } });
              const page = (await app.send('POST', '/object/list/b', { body })).json<{ name: string }[]>();
              listed.push(...page.map(({ name }) => name));
              if (page.length < limit) break;
            }
            expect(listed).toEqual(order === 'asc' ? expected : expected.reverse());
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  it('finds a folder whose name the client writes in the decomposed form of Unicode', async () => {
    await put([{ name: 'caf\u00e9/menu.txt', isOwn: true }]);
    const body = JSON.stringify({ prefix: 'cafe\u0301' });
    const page = (await app.send('POST', '/object/list/b', { body })).json<{ name: string }[]>();
    expect(page.map(({ name }) => name)).toEqual(['menu.txt']);
  });

  it('shows a member no folder of files that the member may not see', async () => {
    await put([
      { name: 'secret/plan.txt', isOwn: false },
      { name: 'mine/a.txt', isOwn: true },
    ]);
    expect((await pagesOf({ with_delimiter: true })).folders).toEqual(['mine/']);
  });
});
