import type { AppConnection } from '../contract/admin.ts';
import { limits } from '../contract/limits.ts';
import { makeApp, sql } from './app.ts';
import { CONNECTIONS, MILLISECONDS, number, ROUNDS, table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

/** Number of accounts, each of which has a link. It is larger than the number of links that one round can use up. */
const LINKS = 20_000;

const tokenOf = (turn: number): string => `bench-link-${turn}`;

/** Measures how many links of mails `POST /verify` can use up. Each response contains a new session. */
export async function measureLinks(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app } = await makeApp(node);
    // In the bench, one client sends the requests of many members, so the limit per client is raised.
    const value = limits.verificationsPerNetwork.range[1];
    await admin(node, 'PUT', `/apps/${app.ref}/settings/rate_limit_verify`, { value });
    await sql(node, app.ref, ACCOUNTS);
    const results: Round[] = [];
    // The first round is not counted, because it compiles the server's code and makes the plans of its statements.
    for (let i = 0; i <= ROUNDS; i++) {
      await sql(node, app.ref, NEW_LINKS);
      const result = await useLinks(node, app);
      if (i > 0) results.push(result);
    }
    const rows = results.map((result, i) => [
      `round ${i + 1}`,
      number(result.perSecond),
      number(result.perProcessorSecond),
      `${result.p50.toFixed(1)} ms`,
      `${result.p99.toFixed(1)} ms`,
      number(result.failed),
    ]);
    table(['Links', 'Used up a second', 'For a second of processor time', 'p50', 'p99', 'Failed'], rows);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

interface Round extends LoadResult {
  /** Number of links per second of the node's processor time. Other load on the machine affects this number less than a rate. */
  perProcessorSecond: number;
}

async function useLinks(node: BenchNode, app: AppConnection): Promise<Round> {
  const headers = { apikey: app.publishable_key, 'content-type': 'application/json' };
  let turn = 0;
  const before = node.processorTimes();
  const result = await load({
    port: node.port,
    connections: CONNECTIONS,
    milliseconds: MILLISECONDS,
    next: () =>
      request(
        'POST',
        `/apps/${app.ref}/auth/v1/verify`,
        headers,
        JSON.stringify({ type: 'magiclink', token_hash: tokenOf(++turn) }),
      ),
  });
  let spent = 0;
  for (const [pid, time] of node.processorTimes()) spent += time - (before.get(pid) ?? 0);
  return { ...result, perProcessorSecond: (result.requests / spent) * 1000 };
}

const ACCOUNTS = `
  insert into auth.users (instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
    'link-' || g || '@example.com', now(), '{"provider": "email", "providers": ["email"]}', '{}', now(), now()
  from generate_series(1, ${LINKS}) g;
  insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
  select u.id::text, u.id, jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true), 'email', now(), now()
  from auth.users u where u.email like 'link-%';
`;

/** SQL expression for the hash of the token in the link of the account with this address. */
const tokenHash = (email: string): string =>
  `encode(sha256(('${tokenOf(0).slice(0, -1)}' || substr(${email}, 6, strpos(${email}, '@') - 6))::bytea), 'hex')`;

const NEW_LINKS = `
  update auth.users set recovery_sent_at = now(), recovery_token = ${tokenHash('email')} where email like 'link-%';
  delete from auth.one_time_tokens;
  insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
  select gen_random_uuid(), u.id, 'recovery_token', ${tokenHash('u.email')},
    u.email, now() at time zone 'utc', now() at time zone 'utc'
  from auth.users u where u.email like 'link-%';
  analyze auth.users, auth.one_time_tokens, auth.identities;
`;
