import { expect, it } from 'vitest';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { processTable } from '../support/processes.ts';

const node = ownNode('specification');

/** The process that derives the node's specifications; null where there is none. */
async function deriving(): Promise<number | null> {
  const table = await processTable();
  const found = table.filter(({ parent, command }) => parent === node.pid && command.includes('specification-process'));
  expect(found.length).toBeLessThan(2);
  return found[0]?.pid ?? null;
}

it('the specification is there again at once when the process that derives it is killed, which goes when its node does', async () => {
  const { ref } = await createApp(node);
  // Something new each time, so that nothing that was derived before can serve.
  let changes = 0;
  const change = () => runSql(node, ref, `create table public.made_${++changes} (id int primary key)`);
  const names = async () => {
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${ref}/specification`);
    return chapters.entities?.entities.map(({ name }) => name);
  };
  const killed = new Set<number>();
  for (let i = 0; i < 3; i++) {
    await change();
    const asked = Promise.all([names(), names(), names()]);
    const pid = await deriving();
    if (pid !== null) {
      process.kill(pid, 'SIGKILL');
      killed.add(pid);
    }
    for (const found of await asked) expect(found).toContain(`made_${changes}`);
  }
  expect(killed.size).toBeGreaterThan(0);
  await change();
  await names();
  const last = await deriving();
  expect(last).not.toBeNull();
  await node.kill9();
  const isRunning = async () => (await processTable()).some(({ pid }) => pid === last);
  await expect.poll(isRunning, { timeout: 10_000 }).toBe(false);
  await node.startAgain();
  expect(await names()).toContain(`made_${changes}`);
});
