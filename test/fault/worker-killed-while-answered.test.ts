import { expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { ownNode } from '../support/own-node.ts';
import { isBusy, partsOf, processTable } from '../support/processes.ts';

const node = ownNode('worker-killed');

/** The process that derives the node's specifications. */
async function deriving(): Promise<number> {
  const found = (await processTable()).find(
    ({ parent, command }) => parent === node.pid && command.includes('specification-process'),
  );
  return found?.pid ?? expect.unreachable('nothing derives specifications');
}

/** Looks again and again, without a pause, as what it waits for lasts milliseconds; until it was so `times` in a row. */
async function until(isSo: () => Promise<boolean>, times = 1): Promise<void> {
  const end = performance.now() + 10_000;
  for (let seen = 0; seen < times; seen = (await isSo()) ? seen + 1 : 0) expect(performance.now()).toBeLessThan(end);
}

it('a worker that is killed while the primary answers it takes nothing else with it', async () => {
  const { ref } = await createApp(node);
  // A connection that was under way to a worker when it was killed is never answered.
  const answered = async () => {
    const signal = AbortSignal.timeout(5000);
    const headers = { authorization: `Bearer ${node.operatorToken}` };
    return (await fetch(`${node.url}/admin/v1/apps/${ref}/specification`, { headers, signal })).text();
  };
  await answered();
  const pid = await deriving();
  for (let i = 0; i < 3; i++) {
    // Something new each time, so that nothing that was derived before can serve.
    await runSql(node, ref, `create table public.made_${i} (id int primary key)`);
    const { workers } = await partsOf(node.pid);
    const asked = Promise.allSettled([answered(), answered()]);
    await until(() => isBusy(pid));
    // The answer, so short that it waits whole, and that the workers have ended, come to the primary while it sleeps: it learns of both at once.
    process.kill(node.pid, 'SIGSTOP');
    await until(async () => !(await isBusy(pid)), 200);
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    process.kill(node.pid, 'SIGCONT');
    await asked;
    await expect.poll(() => answered().catch(String), { timeout: 20_000 }).toContain(`made_${i}`);
  }
});
