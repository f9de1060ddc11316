import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { partsOf, processTable } from '../support/processes.ts';

let node: TestNode;

beforeAll(async () => {
  node = await startNode();
}, 60_000);

afterAll(async () => {
  await node?.stop();
});

const derivingBelow = async (workers: readonly number[]): Promise<number[]> =>
  (await processTable())
    .filter(({ parent, command }) => workers.includes(parent) && command.includes('specification-process'))
    .map(({ pid }) => pid);

it('the specification is there again at once when the processes that derive it are killed, and they go with their workers', async () => {
  const { ref } = await createApp(node);
  await runSql(node, ref, 'create table public.kept (id int primary key)');
  const { workers } = await partsOf(node.pid);
  // Something new each time, so that nothing that was derived before can serve.
  let changes = 0;
  const change = () => runSql(node, ref, `comment on table public.kept is '${++changes}'`);
  const names = async () => {
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${ref}/specification`);
    return chapters.entities?.entities.map(({ name }) => name);
  };
  for (let i = 0; i < 4; i++) expect(await names()).toContain('kept');
  const first = await derivingBelow(workers);
  expect(first.length).toBeGreaterThan(0);
  for (let i = 0; i < 4; i++) {
    await change();
    const asked = Promise.all([names(), names(), names()]);
    for (const pid of await derivingBelow(workers)) process.kill(pid, 'SIGKILL');
    for (const found of await asked) expect(found).toContain('kept');
  }
  await change();
  await names();
  const last = await derivingBelow(workers);
  expect(last.length).toBeGreaterThan(0);
  expect(last.some((pid) => first.includes(pid))).toBe(false);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  const gone = async () => {
    const running = new Set((await processTable()).map(({ pid }) => pid));
    return last.some((pid) => running.has(pid));
  };
  await expect.poll(gone, { timeout: 10_000 }).toBe(false);
  await expect.poll(() => names().catch(() => []), { timeout: 20_000 }).toContain('kept');
});
