import { createHash } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection, SigningKeyEntry } from '../../contract/admin.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { superuserUrl } from '../support/database.ts';
import { send } from '../support/http.ts';
import { deleteHome, makeUsedHome, startNode, type TestNode } from '../support/node.ts';
import { makeTestHome } from '../support/test-folder.ts';

/**
 * Two nodes use one PostgreSQL. A session that ends on one node ends on the other, and only one client can use a secret
 * on both.
 */
let nodes: [TestNode, TestNode];
let homes: [string, string];
let app: AppConnection;

beforeAll(async () => {
  homes = [await makeUsedHome('two-nodes'), await makeTestHome('second-node')];
  const first = await startNode({ home: homes[0], env: { NINEFOLD_WORKERS: '1' } });
  await mkdir(join(homes[1], 'secrets'));
  await cp(join(first.home, 'secrets'), join(homes[1], 'secrets'), { recursive: true });
  const url = new URL(await superuserUrl(first, 'postgres'));
  url.search = '';
  const env = { NINEFOLD_DATABASE_URL: url.href, NINEFOLD_WORKERS: '1' };
  nodes = [first, await startNode({ home: homes[1], env })];
  app = await createAppWith(first, 'create function public.me() returns text language sql stable return auth.role()');
});
afterAll(async () => {
  await nodes[1].stop();
  await nodes[0].stop();
  await Promise.all(homes.map(deleteHome));
});

const onNode = (index: 0 | 1): Pick<AppConnection, 'url' | 'publishable_key'> => ({
  url: `${nodes[index].url}/apps/${app.ref}`,
  publishable_key: app.publishable_key,
});

/** Returns the statuses of two calls with the token on each node. */
const statuses = async (token: string): Promise<number[]> => {
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${token}` };
  const call = (node: TestNode) =>
    send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`, { headers, ownConnection: true }).then(({ status }) => status);
  return Promise.all([...nodes, ...nodes].map(call));
};
const works = [200, 200, 200, 200];
const refused = [401, 401, 401, 401];

async function usedMember(): Promise<Member> {
  const member = await signUpMember(onNode(0));
  expect(await statuses(member.session.access_token)).toEqual(works);
  return member;
}

describe('a session that ends on one node', () => {
  it.each<[string, (member: Member) => Promise<unknown>]>([
    ['by sign-out', ({ client }) => client.auth.signOut()],
    [
      'by a ban',
      ({ user }) => clientOf(app, app.secret_key).auth.admin.updateUserById(user.id, { ban_duration: '1h' }),
    ],
    ['by deletion of its account', ({ user }) => clientOf(app, app.secret_key).auth.admin.deleteUser(user.id)],
    [
      'by a new password, set by the secret key',
      ({ user }) =>
        clientOf(app, app.secret_key).auth.admin.updateUserById(user.id, { password: 'another long password' }),
    ],
    [
      'by the member’s list of sessions',
      async ({ session }) => {
        const headers = { apikey: app.publishable_key, authorization: `Bearer ${session.access_token}` };
        const answer = await fetch(`${app.url}/auth/v1/sessions`, { headers });
        const { sessions } = (await answer.json()) as { sessions: { id: string }[] };
        await fetch(`${app.url}/auth/v1/sessions/${sessions[0]?.id}`, { method: 'DELETE', headers });
      },
    ],
    [
      'by a setting',
      async ({ user }) => {
        await runSql(
          nodes[0],
          app.ref,
          `update auth.sessions set created_at = now() - interval '2 years' where user_id = '${user.id}'`,
        );
      },
    ],
  ])('ends on both nodes with its access token: %s', async (_, end) => {
    const member = await usedMember();
    await end(member);
    await expect.poll(() => statuses(member.session.access_token), { timeout: 1000, interval: 50 }).toEqual(refused);
    for (const index of [0, 1] as const) {
      expect((await clientOf(onNode(index)).auth.refreshSession(member.session)).error).not.toBeNull();
    }
  });
});

it('a refresh token has one successor when both nodes receive it many times at once', async () => {
  const member = await usedMember();
  const refresh = (index: 0 | 1) => clientOf(onNode(index)).auth.refreshSession(member.session);
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => refresh(i % 2 === 0 ? 0 : 1)));
  expect(all.map(({ error }) => error)).toEqual(all.map(() => null));
  expect(new Set(all.map(({ data }) => data.session?.refresh_token)).size).toBe(1);
  const rows = await runSql(
    nodes[0],
    app.ref,
    `select count(*) from auth.refresh_tokens where user_id = '${member.user.id}' and not revoked`,
  );
  expect(rows.results[0]?.rows).toEqual([['1']]);
});

it('each member keeps one session when both nodes receive sign-ins at once', async () => {
  const member = await usedMember();
  await admin(nodes[0], 'PUT', `/apps/${app.ref}/settings/sessions_single_per_user`, { value: true });
  const { email, password } = member;
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      clientOf(onNode(i % 2 === 0 ? 0 : 1)).auth.signInWithPassword({ email, password }),
    ),
  );
  await admin(nodes[0], 'DELETE', `/apps/${app.ref}/settings/sessions_single_per_user`);
  const rows = await runSql(
    nodes[0],
    app.ref,
    `select count(*) from auth.sessions where user_id = '${member.user.id}'`,
  );
  expect(rows.results[0]?.rows).toEqual([['1']]);
});

it('the limit on sign-ups is exact over both nodes, whatever X-Forwarded-For contains', async () => {
  const setting = `/apps/${app.ref}/settings/rate_limit_sign_up_app`;
  const count = async () =>
    Number((await runSql(nodes[0], app.ref, 'select count(*) from auth.users')).results[0]?.rows[0]?.[0]);
  const before = await count();
  const taken = Number(
    (
      await runSql(
        nodes[0],
        app.ref,
        `set role supabase_auth_admin; select coalesce(max((select sum(c) from unnest(counts) c)), 0) from ninefold.rate_counts
         where subject = '${createHash('sha256').update('sign_up:app:').digest('base64url')}'`,
      )
    ).results.at(-1)?.rows[0]?.[0],
  );
  await admin(nodes[0], 'PUT', setting, { value: taken + 4 });
  await admin(nodes[0], 'PUT', `/apps/${app.ref}/settings/external_anonymous_users_enabled`, { value: true });
  // Both nodes have received the settings.
  const isHeard = async (node: TestNode) => {
    const { body } = await send(node.url, `/apps/${app.ref}/auth/v1/settings`, { headers: { apikey: app.anon_key } });
    return JSON.parse(body).external.anonymous_users;
  };
  await expect.poll(() => Promise.all(nodes.map(isHeard))).toEqual([true, true]);
  const calls = Array.from({ length: 16 }, (_, i) =>
    fetch(`${onNode(i % 2 === 0 ? 0 : 1).url}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: app.publishable_key, 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${i}` },
      body: JSON.stringify({ email: `rate-${i}@example.com`, password: 'correct horse battery' }),
    }),
  );
  const statusesOfAll = (await Promise.all(calls)).map(({ status }) => status);
  await admin(nodes[0], 'DELETE', setting);
  expect(statusesOfAll.filter((status) => status === 200)).toHaveLength(4);
  expect(statusesOfAll.filter((status) => status === 429)).toHaveLength(12);
  expect(await count()).toBe(before + 4);
});

it('both nodes reject a token after one node revoked its signing key', async () => {
  const member = await usedMember();
  const kid = JSON.parse(Buffer.from(member.session.access_token.split('.')[0] ?? '', 'base64url').toString()).kid;
  await admin(nodes[1], 'POST', `/apps/${app.ref}/keys/rotate`, {});
  expect(await statuses(member.session.access_token)).toEqual(works);
  await admin<SigningKeyEntry[]>(nodes[1], 'POST', `/apps/${app.ref}/keys/${kid}/revoke`, {});
  await expect.poll(() => statuses(member.session.access_token), { timeout: 1000, interval: 50 }).toEqual(refused);
});
