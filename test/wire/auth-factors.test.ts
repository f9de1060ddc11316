import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, expect, inject, it } from 'vitest';
import ws from 'ws';
import type { AppConnection } from '../../contract/admin.ts';
import { createTemplate } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';

const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createTemplate(
    node,
    `create table invoices (id int primary key);
     insert into invoices values (1);
     alter table invoices enable row level security;
     create policy members on invoices to authenticated using (true);
     create policy "a second factor is needed" on invoices as restrictive to authenticated
       using ((select auth.jwt()) ->> 'aal' = 'aal2');`,
  );
});

const rowsOf = async (client: SupabaseClient) => (await client.from('invoices').select()).data?.length;

async function withSecondFactor(client: SupabaseClient): Promise<{ id: string; totp: TOTP }> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
  if (error) throw error;
  const totp = new TOTP({ secret: Secret.fromBase32(data.totp.secret) });
  const verified = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: totp.generate() });
  if (verified.error) throw verified.error;
  return { id: data.id, totp };
}

it('a policy that requires aal2 shows rows only to a session with a second factor, until the factor is removed', async () => {
  const { client, email, password } = await signUpMember(app);
  expect(await rowsOf(client)).toBe(0);
  const { id } = await withSecondFactor(client);
  expect(await rowsOf(client)).toBe(1);
  const half = clientOf(app);
  await half.auth.signInWithPassword({ email, password });
  expect(await rowsOf(half)).toBe(0);

  const { data } = await client.auth.getSession();
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${data.session?.access_token}` };
  // Each call uses a connection of its own, so that every worker receives some.
  const ask = async () => {
    const calls = Array.from({ length: 8 }, async () => {
      const response = await fetch(`${app.url}/rest/v1/invoices`, { headers: { ...headers, connection: 'close' } });
      return ((await response.json()) as unknown[]).length;
    });
    return Math.max(...(await Promise.all(calls)));
  };
  expect(await ask()).toBe(1);
  expect((await client.auth.mfa.unenroll({ factorId: id })).error).toBeNull();
  await expect.poll(ask, { timeout: 1000 }).toBe(0);
  expect(await ask()).toBe(0);
  const { data: user } = await client.auth.getUser();
  expect(user.user?.factors ?? []).toEqual([]);
});

it('recovery codes work with the stock client', async () => {
  const member = await signUpMember(app);
  const client = createClient(app.url, app.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false, experimental: { recoveryCodes: true } },
    realtime: { transport: ws as never },
  });
  const { email, password } = member;
  await client.auth.signInWithPassword({ email, password });
  expect((await client.auth.mfa.recoveryCodes.getStatus()).error?.code).toBe('mfa_factor_not_found');
  await withSecondFactor(client);
  const made = await client.auth.mfa.recoveryCodes.generate({ friendlyName: 'Backup' });
  expect(made.data).toMatchObject({ type: 'recovery_code', friendly_name: 'Backup', total: 10 });
  await client.auth.signInWithPassword({ email, password });
  const verified = await client.auth.mfa.recoveryCodes.verify({ code: made.data?.codes[0]?.toUpperCase() ?? '' });
  expect(verified.error).toBeNull();
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2');
  expect((await client.auth.mfa.recoveryCodes.getStatus()).data).toMatchObject({ total: 10, remaining: 9 });
  expect((await client.auth.mfa.recoveryCodes.regenerate()).data?.codes).toHaveLength(10);
  expect((await client.auth.mfa.recoveryCodes.unenroll()).error).toBeNull();
  expect((await client.auth.mfa.recoveryCodes.getStatus()).error?.code).toBe('mfa_factor_not_found');
});

it('new passwords must follow the rules, and the reasons for a refusal are returned', async () => {
  const signUp = (secret: string) => clientOf(app).auth.signUp({ email: 'weak@example.org', password: secret });
  expect((await signUp('short')).error).toMatchObject({ code: 'weak_password', status: 422, reasons: ['length'] });
  expect((await signUp('Password1')).error).toMatchObject({ code: 'weak_password', reasons: ['pwned'] });
});
