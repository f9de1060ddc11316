import { WORKERS } from './figures.ts';
import { removeHome, startNode } from './node.ts';
import { measureChanges } from './realtime/changes.ts';
import { measureFanOut } from './realtime/fanout.ts';
import { measureIdleApps } from './realtime/idle-apps.ts';
import { measureIdleSockets } from './realtime/idle-sockets.ts';
import { measurePocketBaseRealtime } from './realtime/pocketbase.ts';
import { measurePolicies } from './realtime/policies.ts';
import { measurePresence } from './realtime/presence.ts';
import { makeRealtimeApp, type RealtimeApp } from './realtime/realtime-bench-app.ts';
import { measureWrites } from './realtime/writes.ts';

const parts: Readonly<Record<string, (app: RealtimeApp) => Promise<void>>> = {
  fanout: measureFanOut,
  changes: measureChanges,
  policies: measurePolicies,
  writes: measureWrites,
  apps: measureIdleApps,
  sockets: measureIdleSockets,
  presence: measurePresence,
  pocketbase: measurePocketBaseRealtime,
};

/** Measures realtime: each part with a node of its own. `BENCH_REALTIME` selects parts by name, separated by commas. */
export async function measureRealtime(): Promise<void> {
  const wanted = process.env.BENCH_REALTIME?.split(',') ?? Object.keys(parts);
  for (const name of wanted) {
    const measure = parts[name];
    if (!measure) throw new Error(`no part of realtime is called ${name}; there are ${Object.keys(parts).join(', ')}`);
    const node = await startNode({ workers: WORKERS });
    try {
      await measure(await makeRealtimeApp(node));
    } finally {
      await node.stop();
      removeHome(node.home);
    }
  }
}
