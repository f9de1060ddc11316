import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startNode } from '../support/node.ts';
import { partsOf, processTable } from '../support/processes.ts';

/** Only Linux has scores of processes that the kernel kills when memory runs out (proc_pid_oom_score_adj(5)). */
const onLinux = process.platform === 'linux' ? it : it.skip;
/** The score that the node itself gets, as systemd's OOMScoreAdjust sets it. A process without privileges may raise it. */
const OWN = 50;

const scoreOf = async (pid: number) => Number(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8'));

onLinux('offers PostgreSQL’s sessions to the kernel before workers, and workers before the primary', async () => {
  const node = await startNode({ shell: `echo ${OWN} > /proc/self/oom_score_adj && exec "$@"` });
  const app = await createApp(node);
  // Starts the process of the specifications.
  await fetch(`${node.url}/admin/v1/apps/${app.ref}/specification`, {
    headers: { authorization: `Bearer ${node.operatorToken}` },
  });
  const backend = await withClient(await superuserUrl(node, 'postgres'), async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return scoreOf(rows[0]?.pid ?? 0);
  });
  const { workers, postmaster } = await partsOf(node.pid);
  const others = (await processTable()).filter(
    ({ parent, command }) => parent === node.pid && command.includes('specification-process'),
  );
  expect(others).toHaveLength(1);
  expect(await scoreOf(node.pid)).toBe(OWN);
  expect(await scoreOf(postmaster)).toBe(OWN);
  for (const worker of workers) {
    expect(await scoreOf(worker)).toBeGreaterThan(OWN);
    expect(backend).toBeGreaterThan(await scoreOf(worker));
  }
  expect(await scoreOf(others[0]?.pid ?? 0)).toBe(backend);
  await node.stop();
});
