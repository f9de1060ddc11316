import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import type { MailPage } from '../../contract/mails.ts';
import { admin, createApp } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';
import { ownNode } from '../support/own-node.ts';
import { killAll } from '../support/processes.ts';

const COUNT = 1000;
let server: TestMailServer;
beforeAll(async () => {
  server = await startMailServer();
});
const env = () => ({ NINEFOLD_HTTP_ALLOW: `127.0.0.1:${server.port}` });
const node = ownNode('mail-fault', env);
let app: AppConnection;

beforeAll(async () => {
  app = await createApp(node);
  const set = (key: string, value: unknown) => admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
  await set('smtp_host', '127.0.0.1');
  await set('smtp_port', server.port);
  await set('smtp_admin_email', 'desk@example.com');
  await set('rate_limit_email_sent', 10_000);
});
afterAll(() => server.close());

it(`the node loses none of ${COUNT} mails when it is killed while it sends, and repeats only the unfinished ones`, async () => {
  await withClient(await superuserUrl(node, `app_${app.ref}`), (client) =>
    client.query(
      `insert into ninefold.mails (kind, recipient, data)
       select 'recovery', 'm' || n || '@example.org', '{"Token": "123456"}' from generate_series(1, ${COUNT}) n`,
    ),
  );
  const patient = { timeout: 110_000, interval: 50 };
  await expect.poll(() => server.mails.length, patient).toBeGreaterThan(COUNT / 4);
  await killAll(node);
  const killed = new Date();
  await node.startAgain(env());
  // A mail that was being sent stays reserved until `claimed_until`. This ends the reservations at once, so that the
  // test does not wait for them.
  const held = await withClient(await superuserUrl(node, `app_${app.ref}`), (client) =>
    client.query(
      `with held as (select id, claimed_until from ninefold.mails
          where state = 'queued' and claimed_until <= $1::timestamptz + make_interval(secs => $2))
       update ninefold.mails m set claimed_until = now() from held where held.id = m.id
       returning held.claimed_until > $1::timestamptz as reserved`,
      [killed.toISOString(), limits.mailClaimMilliseconds.default / 1000],
    ),
  );
  expect(held.rows.length).toBeLessThanOrEqual(limits.appMailConnections.default);
  expect(held.rows).toEqual(held.rows.map(() => ({ reserved: true })));
  const counts = async () =>
    (await admin<MailPage>(node, 'GET', `/apps/${app.ref}/mails`).catch(() => null))?.counts ?? null;
  await expect.poll(counts, { ...patient, interval: 500 }).toEqual({ queued: 0, sent: COUNT, failed: 0, kept: 0 });
  const seen = new Map<string, number>();
  for (const { parsed } of server.mails) seen.set(parsed.messageId ?? '', (seen.get(parsed.messageId ?? '') ?? 0) + 1);
  expect(seen.size).toBe(COUNT);
  expect(server.mails.length - COUNT).toBeLessThanOrEqual(limits.appMailConnections.default);
}, 300_000);
