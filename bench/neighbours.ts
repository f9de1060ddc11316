import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AppConnection } from '../contract/admin.ts';
import { type BoundAttack, boundAttacks } from '../test/support/bound-attacks.ts';
import { makeApp, sql } from './app.ts';
import type { AttackOrder } from './attack-process.ts';
import { dataCases } from './cases.ts';
import { table, WORKERS } from './figures.ts';
import { type LoadResult, load, request } from './load.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

const CONNECTIONS = 16;
const QUIET_MILLISECONDS = 10_000;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 30);

/** Limits that an attack reaches within seconds. The default limits are too large for a bench. */
const env = {
  NINEFOLD_APP_DATABASE_BYTES: String(256 * 1024 * 1024),
  NINEFOLD_APP_STATEMENT_SECONDS: '5',
  NINEFOLD_APP_TRANSACTION_SECONDS: '5',
  NINEFOLD_APP_IDLE_TRANSACTION_SECONDS: '5',
};

/**
 * Measures the requests of one app while another app exceeds a limit. Each limit is measured on a node of its own, so
 * that a suspension by one limit does not affect the measurement of the next one.
 */
export async function measureNeighbours(): Promise<void> {
  // BENCH_ATTACK selects attacks. It contains parts of their names, separated by commas.
  const wanted = process.env.BENCH_ATTACK?.split(',');
  const rows: string[][] = [];
  for (const one of boundAttacks) {
    if (wanted && !wanted.some((part) => one.name.includes(part))) continue;
    const node = await startNode({ workers: WORKERS, env });
    try {
      rows.push(await measureOne(node, one));
    } finally {
      await node.stop();
      removeHome(node.home);
    }
  }
  table(['Bound', 'Attack', 'p99 quiet', 'p99 meanwhile', 'Times', 'Failed', 'The attacker met'], rows);
}

async function measureOne(node: BenchNode, one: BoundAttack): Promise<string[]> {
  const { member, headers } = await makeApp(node);
  const calls = [
    ...(dataCases(member.id)[0]?.calls ?? []).map(({ path, query }) =>
      request('GET', `/apps/bench/rest/v1${path}?${query}`, headers),
    ),
    request(
      'POST',
      '/apps/bench/rest/v1/rpc/note_down',
      { ...headers, 'content-type': 'application/json' },
      '{"line":"x"}',
    ),
  ];
  await sql(
    node,
    'bench',
    `create table public.lines (id bigint generated always as identity, line text);
     create function public.note_down(line text) returns void language sql security definer as 'insert into public.lines (line) values (line)'`,
  );
  await admin<AppConnection>(node, 'POST', '/apps', { ref: 'hostile' });
  const { database_url } = await admin<{ database_url: string }>(node, 'GET', '/apps/hostile/connection');
  let turn = 0;
  const run = (milliseconds: number): Promise<LoadResult> =>
    load({
      port: node.port,
      connections: CONNECTIONS,
      milliseconds,
      next: () => calls[turn++ % calls.length] as Buffer,
    });
  await run(QUIET_MILLISECONDS / 2);
  const quiet = await run(QUIET_MILLISECONDS);
  const [meanwhile, met] = await Promise.all([run(SECONDS * 1000), attackBeside(database_url, one)]);
  return [
    one.limit,
    one.name,
    `${quiet.p99.toFixed(1)} ms`,
    `${meanwhile.p99.toFixed(1)} ms`,
    (meanwhile.p99 / quiet.p99).toFixed(1),
    `${meanwhile.failed} of ${meanwhile.requests}`,
    met.map(([code, times]) => `${code} ${times}×`).join(', '),
  ];
}

/** Runs an attack in another process. Returns how often each error occurred. */
async function attackBeside(databaseUrl: string, attack: BoundAttack): Promise<[code: string, times: number][]> {
  const child = fork(fileURLToPath(new URL('./attack-process.mjs', import.meta.url)));
  child.send({ databaseUrl, attack, milliseconds: SECONDS * 1000 } satisfies AttackOrder);
  const [met] = await once(child, 'message');
  return met as [string, number][];
}
