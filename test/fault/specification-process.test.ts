import { expect, it } from 'vitest';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { isBusy, partsOf, processTable } from '../support/processes.ts';

const node = ownNode('specification');

/** Returns the process that derives the node's specifications; null if there is none. */
async function deriving(): Promise<number | null> {
  const table = await processTable();
  const found = table.filter(({ parent, command }) => parent === node.pid && command.includes('specification-process'));
  expect(found.length).toBeLessThan(2);
  return found[0]?.pid ?? null;
}

/**
 * Checks repeatedly without a pause, because the expected state lasts only milliseconds; returns when it was met
 * `times` times in a row.
 */
async function until(isSo: () => Promise<boolean>, times = 1): Promise<void> {
  const end = performance.now() + 10_000;
  for (let seen = 0; seen < times; seen = (await isSo()) ? seen + 1 : 0) expect(performance.now()).toBeLessThan(end);
}

it('the specification is available at once after its process was killed, and the process ends with its node', async () => {
  const { ref } = await createApp(node);
  // A new change each time, so that no earlier derivation can be reused.
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

it('a worker that is killed while the primary answers it does not affect other processes', async () => {
  const { ref } = await createApp(node);
  // A connection that was being passed to a worker when it was killed is never answered.
  const answered = async () => {
    const signal = AbortSignal.timeout(5000);
    const headers = { authorization: `Bearer ${node.operatorToken}` };
    return (await fetch(`${node.url}/admin/v1/apps/${ref}/specification`, { headers, signal })).text();
  };
  await answered();
  const pid = (await deriving()) ?? expect.unreachable('nothing derives specifications');
  for (let i = 0; i < 2; i++) {
    // A new change each time, so that no earlier derivation can be reused.
    await runSql(node, ref, `create table public.made_${i} (id int primary key)`);
    const { workers } = await partsOf(node.pid);
    const asked = Promise.allSettled([answered(), answered()]);
    await until(() => isBusy(pid));
    // The result is so short that the process can write it completely while the primary is stopped. The primary then
    // receives the result and the ends of the workers at the same time.
    process.kill(node.pid, 'SIGSTOP');
    await until(async () => !(await isBusy(pid)), 200);
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    process.kill(node.pid, 'SIGCONT');
    await asked;
    await expect.poll(() => answered().catch(String), { timeout: 20_000 }).toContain(`made_${i}`);
  }
});
