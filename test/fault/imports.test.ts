import { beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { MemberImport } from '../../contract/member-imports.ts';
import { createApp, runSql } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll } from '../support/processes.ts';

const node = ownNode('imports');
let app: AppConnection;

beforeAll(async () => {
  app = await createApp(node);
  // While a row is in `waits`, the transaction of an import does not end.
  await runSql(
    node,
    app.ref,
    `create table public.waits (id int); insert into public.waits values (1);
     create function public.wait() returns trigger language plpgsql security definer as $$
     begin if exists (select from public.waits) then perform pg_sleep(60); end if; return new; end $$;
     grant execute on function public.wait to public;
     create trigger wait before insert on auth.users for each row execute function public.wait()`,
  );
});

async function call(method: string, path: string, body?: string | object) {
  const response = await fetch(`${node.url}/admin/v1/apps/${app.ref}/member-imports${path}`, {
    method,
    headers: {
      authorization: `Bearer ${node.operatorToken}`,
      'content-type': typeof body === 'string' ? 'application/octet-stream' : 'application/json',
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const show = async (path: string): Promise<MemberImport> => (await call('GET', path)).body;

/** Uploads a file with one member. Returns the path of the import. */
async function upload(email: string): Promise<string> {
  const { body } = await call('POST', '', { source: 'csv', file_name: 'members.csv' });
  const path = `/${body.id}`;
  expect((await call('PUT', `${path}/parts/0`, `email\n${email}\n`)).status).toBe(204);
  return path;
}

const members = async () =>
  (await runSql(node, app.ref, 'select count(*) from auth.users')).results.at(-1)?.rows[0]?.[0];

describe('an import of members', () => {
  it('refuses a second import of the app and says when to try again, and runs again at once after its node was killed', async () => {
    const [path, other] = [await upload('ada@example.com'), await upload('bob@example.com')];
    expect((await call('POST', `${path}/run`)).status).toBe(202);
    await expect.poll(async () => (await show(path)).read).toBe(1);
    for (const refused of [
      await call('POST', `${path}/run`),
      await call('POST', `${other}/run`),
      await call('DELETE', path),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: { code: 'import_busy' } });
      const seconds = refused.headers.get('retry-after');
      expect(Number(seconds)).toBeGreaterThan(0);
      expect(refused.body.message).toContain(`Try again in ${seconds} seconds.`);
    }

    await node.kill9();
    await node.startAgain();
    expect(await show(path)).toMatchObject({ state: 'failed', failure: expect.stringContaining('run it again') });
    await runSql(node, app.ref, 'delete from public.waits');
    expect((await call('POST', `${path}/run`)).status).toBe(202);
    await expect.poll(() => show(path)).toMatchObject({ state: 'done', imported: 1 });
    const done = await call('POST', `${path}/run`);
    expect(done).toMatchObject({ status: 409, body: { message: expect.stringContaining('is done') } });
    expect(done.headers.get('retry-after')).toBeNull();
    expect((await call('POST', `${other}/run`)).status).toBe(202);
    await expect.poll(() => show(other)).toMatchObject({ state: 'done', imported: 1 });
    expect(await members()).toBe('2');
  });

  it('fails with a sentence if PostgreSQL crashed and lost the file', async () => {
    const path = await upload('eve@example.com');
    await killAll(node);
    await node.startAgain();
    expect((await call('POST', `${path}/run`)).status).toBe(202);
    await expect
      .poll(() => show(path))
      .toMatchObject({ state: 'failed', imported: 0, failure: expect.stringContaining('begin a new import') });
    expect(await members()).toBe('2');
  });
});
