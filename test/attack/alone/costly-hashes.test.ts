import { hash as bcrypt } from '@node-rs/bcrypt';
import { beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createApp, runSql } from '../../support/apps.ts';
import { makeBuilder, builder as ofNode, signInBuilder } from '../../support/builder.ts';
import { type HttpResponse, send } from '../../support/http.ts';
import { ownNode } from '../../support/own-node.ts';

const node = ownNode('costly-hashes');
const password = 'correct horse battery';
const ACCOUNTS = 64;
const SIGN_INS = 60;

let flooding: AppConnection;
let neighbour: AppConnection;
beforeAll(async () => {
  [flooding, neighbour] = [await createApp(node), await createApp(node)];
  await makeBuilder(node);
  const hash = await bcrypt(password, 15);
  await addAccounts(flooding, hash, ACCOUNTS);
  await addAccounts(neighbour, await bcrypt(password, 4), 1);
  // At the first sign-in, the account gets a hash of the standard cost.
  expect((await signIn(neighbour, 1)).status).toBe(200);
});

const addAccounts = (app: AppConnection, hash: string, count: number) =>
  runSql(
    node,
    app.ref,
    `insert into auth.users (id, email, encrypted_password, email_confirmed_at)
     select gen_random_uuid(), 'a' || i || '@example.com', '${hash}', now() from generate_series(1, ${count}) i`,
  );

const signIn = (app: AppConnection, account: number): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: app.publishable_key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: `a${account}@example.com`, password }),
    // New connections are spread over the workers.
    ownConnection: true,
  });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

it('an app whose hashes cost two seconds each delays no sign-in of another app and of builders', async () => {
  const answers: HttpResponse[] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    // The node stops before it has verified all hashes.
    signIn(flooding, i + 1).then(
      (answer) => answers.push(answer),
      () => undefined,
    );
  }
  const times: number[] = [];
  for (let i = 0; i < SIGN_INS; i++) {
    times.push(await timed(async () => expect((await signIn(neighbour, 1)).status).toBe(200)));
    if (i % 10 === 0) times.push(await timed(() => signInBuilder(node, ofNode)));
  }
  expect(answers.length).toBeLessThan(ACCOUNTS);
  times.sort((a, b) => a - b);
  expect(times[Math.floor(times.length * 0.99) - 1], times.map(Math.round).join(' ')).toBeLessThan(1000);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, body } of refused) {
    expect(headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect(JSON.parse(body)).toMatchObject({ error_code: 'over_request_rate_limit' });
  }
});
