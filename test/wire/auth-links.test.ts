import { createClient } from '@supabase/supabase-js';
import { beforeAll, expect, inject, it } from 'vitest';
import ws from 'ws';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { type LinkMail, mailsTo } from '../support/mails.ts';
import { uniqueEmail } from '../support/unique.ts';

const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `insert into ninefold.settings (key, value) values ('mailer_autoconfirm', 'false'), ('smtp_max_frequency', '0'),
       ('site_url', '"https://site.example"'), ('uri_allow_list', '["https://*.preview.example/**"]')`,
  );
});

const password = 'correct horse';

async function lastMail(address: string): Promise<LinkMail> {
  const mail = (await mailsTo(node, app, address)).at(-1);
  if (!mail) throw new Error(`no mail to ${address}`);
  return mail;
}

/** Opens a link in a browser and presses its button. Returns the URL to which the browser is redirected. */
async function press(link: string): Promise<URL> {
  const { host, search } = new URL(link);
  const page = await send(node.url, `/auth/v1/verify${search}`, { headers: { host } });
  const form = new URLSearchParams();
  for (const [, name = '', value = ''] of page.body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)) {
    form.set(name, value.replaceAll('&amp;', '&'));
  }
  const headers = { host, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
  const response = await send(node.url, '/auth/v1/verify', { method: 'POST', headers, body: form.toString() });
  return new URL(String(response.headers.location));
}

it('the stock client signs up, confirms by a code, and recovers by a link', async () => {
  const email = uniqueEmail();
  const client = clientOf(app);
  const signedUp = await client.auth.signUp({ email, password, options: { data: { full_name: 'Ada' } } });
  expect([signedUp.error, signedUp.data.session]).toEqual([null, null]);
  expect((await client.auth.signInWithPassword({ email, password })).error?.code).toBe('email_not_confirmed');
  expect((await client.auth.resend({ type: 'signup', email })).error).toBeNull();
  const wrong = await client.auth.verifyOtp({ type: 'email', email, token: 'wrong' });
  expect(wrong.error).toMatchObject({ code: 'otp_expired', status: 403, message: 'Token has expired or is invalid' });
  const verified = await client.auth.verifyOtp({ type: 'email', email, token: (await lastMail(email)).data.Token });
  expect(verified.data.user?.user_metadata).toMatchObject({ full_name: 'Ada', email_verified: true });
  expect((await client.auth.getClaims()).data?.claims).toMatchObject({ email, amr: [{ method: 'otp' }] });

  const redirectTo = 'https://pr-7.preview.example/reset?step=2';
  expect((await clientOf(app).auth.resetPasswordForEmail(email, { redirectTo })).error).toBeNull();
  const target = await press((await lastMail(email)).data.ConfirmationURL);
  expect(target.href.split('#')[0]).toBe(redirectTo);
  const fragment = new URLSearchParams(target.hash.slice(1));
  expect(fragment.get('type')).toBe('recovery');
  const browser = clientOf(app);
  const tokens = {
    access_token: fragment.get('access_token') ?? '',
    refresh_token: fragment.get('refresh_token') ?? '',
  };
  expect((await browser.auth.setSession(tokens)).error).toBeNull();
  expect((await browser.auth.updateUser({ password: 'a new horse' })).error).toBeNull();
  expect((await clientOf(app).auth.signInWithPassword({ email, password: 'a new horse' })).error).toBeNull();
});

it('the stock client signs in by a link with PKCE', async () => {
  const stored = new Map<string, string>();
  const client = createClient(app.url, app.publishable_key, {
    auth: {
      flowType: 'pkce',
      autoRefreshToken: false,
      detectSessionInUrl: false,
      storage: {
        getItem: (key: string) => stored.get(key) ?? null,
        setItem: (key: string, value: string) => void stored.set(key, value),
        removeItem: (key: string) => void stored.delete(key),
      },
    },
    realtime: { transport: ws as never },
  });
  const email = uniqueEmail();
  expect((await client.auth.signInWithOtp({ email })).error).toBeNull();
  const target = await press((await lastMail(email)).data.ConfirmationURL);
  expect(target.origin).toBe('https://site.example');
  const { data, error } = await client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
  expect([error, data.user?.email]).toEqual([null, email]);
});

it('a server-rendered site verifies a token hash', async () => {
  const email = uniqueEmail();
  await clientOf(app).auth.signUp({ email, password });
  const { TokenHash: token_hash } = (await lastMail(email)).data;
  const client = clientOf(app);
  expect((await client.auth.verifyOtp({ type: 'email', token_hash })).data.user?.email).toBe(email);
  expect((await client.auth.verifyOtp({ type: 'email', token_hash })).error).toMatchObject({
    code: 'otp_expired',
    message: 'Email link is invalid or has expired',
  });
});

it('the stock client of a builder sends invitations and generates links', async () => {
  const { admin } = clientOf(app, app.secret_key).auth;
  const email = uniqueEmail();
  const invited = await admin.inviteUserByEmail(email, {
    data: { team: 'red' },
    redirectTo: 'https://site.example/welcome',
  });
  expect(invited.data.user).toMatchObject({ email, invited_at: expect.any(String) });
  const mail = await lastMail(email);
  expect([mail.kind, mail.data.RedirectTo]).toEqual(['invite', 'https://site.example/welcome']);
  expect((await press(mail.data.ConfirmationURL)).pathname).toBe('/welcome');
  const { data } = await admin.generateLink({ type: 'magiclink', email });
  expect(data.properties).toMatchObject({ verification_type: 'magiclink', redirect_to: 'https://site.example' });
  const token_hash = data.properties?.hashed_token ?? '';
  expect((await clientOf(app).auth.verifyOtp({ type: 'magiclink', token_hash })).data.user?.id).toBe(data.user?.id);
});
