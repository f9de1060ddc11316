import type { SqlResponse } from '../contract/admin.ts';
import { median, ROUNDS, table } from './figures.ts';
import { admin, type BenchNode, removeHome, startNode } from './node.ts';

/** Measures a start of the node, the creation of apps, copies of apps, and memory. */
export async function measureStart(): Promise<void> {
  const first = await startNode();
  await first.stop();
  const second: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const again = await startNode({ home: first.home });
    second.push(again.startMilliseconds);
    await again.stop();
  }
  const node = await startNode({ home: first.home });
  const create: number[] = [];
  const times = { one: 0, many: 0 };
  for (let i = 1; i <= 200; i++) {
    const started = performance.now();
    await admin(node, 'POST', '/apps', { ref: `app-${i}` });
    create.push(performance.now() - started);
    if (i === 1) {
      await idle(node, 'app-1');
      times.one = node.memory();
    }
  }
  await idle(node, 'app-1');
  times.many = node.memory();
  const big = `create table public.filler as select g as id, repeat('x', 1000) as pad from generate_series(1, 48000) g`;
  await admin(node, 'POST', '/apps/app-1/sql', { sql: big });
  const clone: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    await admin(node, 'POST', '/apps/app-1/clone', { ref: `copy-${i}` });
    clone.push(performance.now() - started);
  }
  await node.stop();
  removeHome(first.home);
  const lines = [
    ['First start, nothing there, to the first answer', `${first.startMilliseconds.toFixed(0)} ms`],
    ['Second start, to the first answer', `${median(second).toFixed(0)} ms`],
    ['A new app', `${median(create).toFixed(0)} ms (slowest of 200: ${Math.max(...create).toFixed(0)} ms)`],
    ['Clone of an app of 50 MB', `${median(clone).toFixed(0)} ms`],
    ['Memory of all processes, idle, 1 app', `${(times.one / 1e6).toFixed(0)} MB`],
    ['Memory of all processes, idle, 200 apps', `${(times.many / 1e6).toFixed(0)} MB`],
  ];
  table(['What', 'Measured'], lines);
}

/** Waits until no app except the given one has a connection. */
async function idle(node: BenchNode, ref: string): Promise<void> {
  const sql = `select count(*) from pg_stat_activity where datname like 'app\\_%' and datname not in ('app_console', 'app_${ref}')`;
  for (;;) {
    const { results } = await admin<SqlResponse>(node, 'POST', `/apps/${ref}/sql`, { sql });
    if (results[0]?.rows[0]?.[0] === '0') return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
