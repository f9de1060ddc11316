import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import type { MailDetail, MailPage, MailRow, MailTemplate, MailTest, RenderedMail } from '../../contract/mails.ts';
import { admin, createApp, openApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { uniqueEmail } from '../support/unique.ts';

let node: TestNode;
let server: TestMailServer;
let hook: Receiver;
/** The status that the webhook for text messages returns. */
let hookStatus = 204;
let app: AppConnection;

beforeAll(async () => {
  server = await startMailServer();
  hook = await startReceiver((_, response) => response.writeHead(hookStatus).end());
  node = await startNode({
    env: { NINEFOLD_WORKERS: '2', NINEFOLD_HTTP_ALLOW: `127.0.0.1:${server.port},127.0.0.1:${hook.port}` },
  });
});
afterAll(async () => {
  await node.stop();
  await server.close();
  await hook.close();
});
beforeEach(async () => {
  app = await createApp(node);
  await openApp(app);
  server.mails.length = 0;
  server.refuse = () => null;
  server.password = null;
});

const patient = { timeout: 30_000, interval: 100 };
const set = (key: string, value: unknown) => admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
const list = (query = '') => admin<MailPage>(node, 'GET', `/apps/${app.ref}/mails${query}`);
const show = (id: string) => admin<MailDetail>(node, 'GET', `/apps/${app.ref}/mails/${id}`);

async function useServer(): Promise<void> {
  await set('smtp_host', '127.0.0.1');
  await set('smtp_port', server.port);
  await set('smtp_admin_email', 'desk@example.com');
  await set('smtp_sender_name', 'Desk');
}

const superuser = async (sql: string, params: unknown[] = []) =>
  withClient(await superuserUrl(node, `app_${app.ref}`), (client) => client.query(sql, params));

/** Queues mails as a sign-in call does, all in one transaction: mails that send a token, and notifications. */
const queue = (recipients: readonly string[], notified: readonly string[] = []) =>
  superuser(
    `insert into ninefold.mails (kind, recipient, data)
     select 'password_changed_notification', r, $3::jsonb from unnest($2::text[]) r
     union all select 'recovery', r, $3::jsonb from unnest($1::text[]) r`,
    [recipients, notified, { ConfirmationURL: 'https://desk.example.com/verify?token=secret-token', Token: '123456' }],
  );

const states = async () => Object.fromEntries((await list()).mails.map(({ recipient, state }) => [recipient, state]));

describe('an app without a mail server', () => {
  it('stores every mail with its link and its code', async () => {
    await queue(['ada@example.org']);
    await expect.poll(states, patient).toEqual({ 'ada@example.org': 'kept' });
    const { mails, counts } = await list();
    expect(counts).toEqual({ queued: 0, sent: 0, failed: 0, kept: 1 });
    const mail = await show(mails[0]?.id ?? '');
    expect(mail).toMatchObject({
      ...{ kind: 'recovery', subject: 'Set a new password', language: 'en', template_error: null },
      ...{ code: '123456', link: 'https://desk.example.com/verify?token=secret-token' },
    });
    expect(mail.html).toContain('123456');
    await expect(admin(node, 'POST', `/apps/${app.ref}/mails/test`, { to: 'a@example.org' })).rejects.toThrow(
      'mail_server_missing',
    );
    await admin(node, 'DELETE', `/apps/${app.ref}/mails/${mail.id}`);
    await expect(show(mail.id)).rejects.toThrow('mail_unknown');
  });

  it('lists mails by page, by state and by search text', async () => {
    const max = limits.mailsPerPage.default;
    await superuser(
      `insert into ninefold.mails (kind, recipient, state, created_at)
       select 'invite', 'm' || n || '_%@example.org', 'kept', date_trunc('day', now()) - n / 3 * interval '1 second'
       from generate_series(1, $1::int) n`,
      [2 * max + 5],
    );
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: MailPage = await list(next === '' ? '' : `?after=${encodeURIComponent(next)}`);
      seen.push(...page.mails.map(({ recipient }) => recipient));
      ({ next } = page);
    }
    expect([seen.length, new Set(seen).size]).toEqual([2 * max + 5, 2 * max + 5]);
    expect((await list(`?search=${encodeURIComponent('m7_%')}`)).mails).toHaveLength(1);
    expect((await list('?state=sent')).mails).toEqual([]);
    for (const query of [
      '?state=x',
      '?after=x',
      `?after=2026-99-01T00:00:00.000000Z_${'0'.repeat(36)}`,
      '?search=%00',
    ]) {
      await expect(list(query)).rejects.toThrow('validation_invalid');
    }
  });
});

describe('an app with a mail server', () => {
  it('sends each mail once, and then deletes its link and its code', async () => {
    await useServer();
    const recipients = Array.from({ length: 20 }, (_, i) => `m${i}@example.org`);
    await queue(recipients);
    await expect.poll(() => server.mails.length, patient).toBe(20);
    await expect.poll(async () => (await list()).counts.sent, patient).toBe(20);
    expect(server.mails.map(({ to }) => to[0]).sort()).toEqual([...recipients].sort());
    expect(server.mails[0]?.parsed.text).toContain('https://desk.example.com/verify?token=secret-token');
    expect(server.mails[0]?.parsed.from?.text).toBe('"Desk" <desk@example.com>');
    const [mail] = (await list()).mails;
    expect(await show(mail?.id ?? '')).toMatchObject({ link: null, code: null, from: 'Desk <desk@example.com>' });
    const { rows } = await superuser(`select count(*) from ninefold.mails m where m::text ~ 'secret-token|123456'`);
    expect(rows[0].count).toBe('0');
    await expect(admin(node, 'POST', `/apps/${app.ref}/mails/${mail?.id}/resend`)).rejects.toThrow('mail_sent');
  });

  it('retries after a temporary refusal, but not after a permanent one', async () => {
    await useServer();
    let isGrey = true;
    server.refuse = (recipient) => {
      if (recipient === 'nobody@example.org') return '550 5.1.1 No such user';
      return isGrey && recipient === 'grey@example.org' ? '450 4.7.1 Greylisted 123456' : null;
    };
    await queue(['grey@example.org', 'nobody@example.org', 'ada@example.org']);
    await expect.poll(states, patient).toEqual({
      ...{ 'grey@example.org': 'queued', 'nobody@example.org': 'failed', 'ada@example.org': 'sent' },
    });
    await expect.poll(async () => (await list()).mails.filter(({ error }) => error !== null).length, patient).toBe(2);
    const { mails } = await list();
    const grey = mails.find(({ recipient }) => recipient === 'grey@example.org') as MailRow;
    expect(grey.error).toContain('450 4.7.1 Greylisted …');
    const pause = Date.parse(grey.next_attempt_at ?? '') - Date.parse(grey.created_at);
    expect(pause).toBeGreaterThan((limits.mailFirstPauseSeconds.default - 1) * 1000);
    expect(mails.find(({ recipient }) => recipient === 'nobody@example.org')?.error).toContain(
      '550 5.1.1 No such user',
    );
    isGrey = false;
    await admin(node, 'POST', `/apps/${app.ref}/mails/${grey.id}/resend`);
    await expect.poll(async () => (await states())['grey@example.org'], patient).toBe('sent');
  });

  it('sends at most as many mails per hour as the budget allows, those with a link or code first', async () => {
    await set('rate_limit_email_sent', 3);
    await queue(['kept@example.org'], ['note1@example.org', 'note2@example.org']);
    await expect.poll(async () => (await list()).counts.kept, patient).toBe(3);
    await useServer();
    // Mails that were only stored do not count.
    await queue(['a@example.org', 'b@example.org'], ['note3@example.org', 'note4@example.org']);
    await expect.poll(async () => (await list()).counts, patient).toMatchObject({ sent: 3, queued: 1 });
    const sent = server.mails.map(({ to }) => to[0]);
    expect(sent).toEqual(expect.arrayContaining(['a@example.org', 'b@example.org']));
    await superuser(`update ninefold.mails set sent_at = sent_at - interval '1 hour'`);
    await superuser(`select pg_notify('ninefold', '{"type":"mail"}')`);
    await expect.poll(async () => (await list()).counts, patient).toMatchObject({ sent: 4, queued: 0 });
  });

  it('tests the server on every worker with the latest password', async () => {
    await useServer();
    server.password = 'first-password';
    await set('smtp_user', 'app');
    const test = () => admin<MailTest>(node, 'POST', `/apps/${app.ref}/mails/test`, { to: 'ada@example.org' });
    const tests = async () => Promise.all(Array.from({ length: 2 }, test));
    expect((await test()).error).toMatch(/^The server refused the sign-in/);
    for (const password of ['first-password', 'second-password']) {
      server.password = password;
      await set('smtp_pass', password);
      await expect
        .poll(
          async () =>
            (await Promise.all([tests(), tests()].map((one) => one.catch(() => [])))).flat().every(({ ok }) => ok),
          patient,
        )
        .toBe(true);
    }
    const { response, tls } = await test();
    expect([response, tls]).toEqual([expect.stringMatching(/^250/), true]);
    await set('smtp_pass', 'wrong-password');
    await expect.poll(async () => (await test()).ok, patient).toBe(false);
    const { error } = await test();
    expect(error).toMatch(/535/);
    expect(error).not.toContain('wrong-password');
    await set('smtp_port', 22);
    await expect.poll(async () => (await test()).error, patient).toMatch(/no public address/);
  });

  it('loses no mail while the mail server is down', async () => {
    await useServer();
    await set('smtp_port', 1);
    await queue(['ada@example.org', 'bob@example.org']);
    await expect.poll(async () => (await list()).mails.some(({ error }) => error !== null), patient).toBe(true);
    expect((await list()).counts).toMatchObject({ queued: 2, failed: 0 });
  });
});

describe('templates', () => {
  it('are listed beside the standard templates, can be previewed, and replace the standard template', async () => {
    const path = `/apps/${app.ref}/mail-templates`;
    const preview = (body: object) => admin<RenderedMail>(node, 'POST', `${path}/preview`, body);
    const find = async () => {
      const all = await admin<MailTemplate[]>(node, 'GET', path);
      return all.find(({ kind }) => kind === 'recovery') as MailTemplate;
    };
    expect(Object.keys((await find()).standard)).toEqual(['en', 'de', 'ar']);
    expect(await preview({ kind: 'recovery', language: 'ar' })).toMatchObject({ language: 'ar' });
    const own = await preview({
      kind: 'recovery',
      language: 'de',
      subject: 'Hallo {{ .Data.name }}',
      body: '<p>{{ .Token }}</p>',
    });
    expect(own).toMatchObject({ subject: 'Hallo Ada', html: '<p>123456</p>', template_error: null });
    expect((await preview({ kind: 'recovery', language: 'en', body: '{{ if' })).template_error).toMatch(/never closed/);

    await set('mailer_subjects_recovery', { de: 'Neues Passwort', en: 'New password' });
    await set('mailer_templates_recovery', '{{ range .Data }}');
    await expect
      .poll(async () => (await find()).errors, patient)
      .toEqual({ '*': expect.stringContaining('{{ end }}') });
    await queue(['ada@example.org']);
    const [mail] = (await list()).mails;
    const shown = await show(mail?.id ?? '');
    expect(shown.template_error).toMatch(/has no \{\{ end \}\}/);
    expect(shown.html).toContain('https://desk.example.com/verify');
    for (const value of [5, ['x'], { de: 5 }]) {
      await expect(set('mailer_templates_recovery', value)).rejects.toThrow('setting_invalid');
    }
  });
});

describe('notifications', () => {
  it('about a changed password or address go to the old address, in the member’s language', async () => {
    const client = clientOf(app, app.publishable_key);
    const email = uniqueEmail();
    await client.auth.signUp({ email, password: 'a first password', options: { data: { locale: 'de' } } });
    expect((await client.auth.updateUser({ password: 'another password' })).error).toBeNull();
    const newEmail = uniqueEmail();
    expect((await client.auth.updateUser({ email: newEmail })).error).toBeNull();
    const { code } = await show((await list()).mails[0]?.id ?? '');
    const changed = await client.auth.verifyOtp({ email: newEmail, token: code ?? '', type: 'email_change' });
    expect(changed.error).toBeNull();
    const reported = async () => (await list()).mails.map(({ kind, recipient }) => [kind, recipient]);
    expect(await reported()).toEqual([
      ['email_changed_notification', email],
      ['email_change', newEmail],
      ['password_changed_notification', email],
    ]);
    const mail = await show((await list()).mails[0]?.id ?? '');
    expect(mail.subject).toBe('Ihre Adresse wurde geändert');
    expect(mail.text).toContain(`von ${email} zu ${newEmail}`);

    await set('mailer_notifications_password_changed_enabled', false);
    expect((await client.auth.updateUser({ password: 'a third password' })).error).toBeNull();
    expect(await reported()).toHaveLength(3);
    // A change that fails sends no notification.
    await client.auth.updateUser({ password: 'x' });
    expect(await reported()).not.toContainEqual(['password_changed_notification', newEmail]);
  });

  it('report a sign-in from a new network', async () => {
    const client = clientOf(app, app.publishable_key);
    const email = uniqueEmail();
    await client.auth.signUp({ email, password: 'a first password' });
    const signIn = async () =>
      expect((await client.auth.signInWithPassword({ email, password: 'a first password' })).error).toBeNull();
    await signIn();
    expect((await list()).mails).toEqual([]);
    await superuser('update ninefold.sign_in_networks set network = network + 1');
    await signIn();
    const { mails } = await list();
    expect(mails.map(({ kind, recipient }) => [kind, recipient])).toEqual([['new_device_notification', email]]);
    expect((await show(mails[0]?.id ?? '')).text).toContain('127.0.0.1');
    await signIn();
    expect((await list()).mails).toHaveLength(1);
  });
});

it('the roles of callers see no mails, and a copy of the app contains none', async () => {
  await queue(['ada@example.org']);
  for (const role of ['set role anon;', 'set role authenticated;', 'set role service_role;']) {
    await expect(runSql(node, app.ref, `${role} select * from ninefold.mails`)).rejects.toThrow('permission denied');
  }
  await expect(runSql(node, app.ref, 'select ninefold.tell_mails_wait()')).rejects.toThrow();
  const copy = await createApp(node, { from: app.ref });
  expect((await admin<MailPage>(node, 'GET', `/apps/${copy.ref}/mails`)).mails).toEqual([]);
});

describe('SMS', () => {
  const hookSecret = `whsec_${Buffer.from('a secret of the webhook').toString('base64')}`;
  const phone = '15555550100';

  it('stores every SMS with its code if no provider is set, and gives one session for a code', async () => {
    await set('external_phone_enabled', true);
    const client = clientOf(app);
    const signedUp = await client.auth.signUp({ phone: `+${phone}`, password: 'correct horse' });
    expect([signedUp.error, signedUp.data.user?.phone]).toEqual([null, phone]);
    await expect.poll(states, patient).toEqual({ [`+${phone}`]: 'kept' });
    const text = await show((await list()).mails[0]?.id ?? '');
    expect(text).toMatchObject({ channel: 'sms', kind: 'sms_confirmation', text: `Your code is ${text.code}` });
    const token = text.code ?? '';
    const shown = await Promise.all(
      Array.from({ length: 6 }, () => clientOf(app).auth.verifyOtp({ type: 'sms', phone, token })),
    );
    expect(shown.filter(({ error }) => error === null)).toHaveLength(1);
    const signedIn = await client.auth.signInWithPassword({ phone, password: 'correct horse' });
    expect([signedIn.error, signedIn.data.user?.phone_confirmed_at]).toEqual([null, expect.any(String)]);
  });

  it('sends an SMS by the webhook, retries after a temporary failure, and refuses SMS beyond the budget', async () => {
    await set('external_phone_enabled', true);
    await set('sms_provider', 'webhook');
    await set('sms_webhook_url', `${hook.url}/texts`);
    await set('sms_webhook_secret', hookSecret);
    await set('sms_max_frequency', 0);
    await set('sms_otp_exp', 600);
    await set('rate_limit_sms_sent', 2);
    hookStatus = 503;
    const client = clientOf(app);
    expect((await client.auth.signInWithOtp({ phone })).error).toMatchObject({ status: 422, code: 'sms_send_failed' });
    const [queued] = (await list()).mails;
    expect(queued).toMatchObject({ state: 'queued', attempts: 1, error: 'The webhook answered 503' });
    hookStatus = 204;
    await admin(node, 'POST', `/apps/${app.ref}/mails/${queued?.id}/resend`);
    await expect.poll(async () => (await list()).counts, patient).toMatchObject({ sent: 1, queued: 0 });
    const [first, last] = [hook.requests.at(-2), hook.requests.at(-1)];
    expect(first?.headers['webhook-id']).toBe(last?.headers['webhook-id']);
    const headers = last?.headers as Record<string, string>;
    const sent = new Webhook(hookSecret).verify(last?.body ?? '', headers) as { to: string; body: string };
    expect(sent.to).toBe(`+${phone}`);
    const token = sent.body.replace('Your code is ', '');
    expect((await client.auth.verifyOtp({ type: 'sms', phone, token })).data.user?.phone).toBe(phone);
    const { rows } = await superuser('select count(*) from ninefold.mails m where m::text ~ $1', [token]);
    expect(rows[0].count).toBe('0');
    expect((await clientOf(app).auth.signInWithOtp({ phone: '15555550101' })).error).toBeNull();
    const refused = await clientOf(app).auth.signInWithOtp({ phone: '15555550102' });
    expect(refused.error).toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' });
  });
});
