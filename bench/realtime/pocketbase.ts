import { number, table } from '../figures.ts';
import { POCKETBASE, type PocketBase, withPocketBase } from '../pocketbase-server.ts';
import { changeHead, changeRow, NOTES } from './changes.ts';
import { timeText } from './clock.ts';
import { FAN_OUTS, fanOutHead, fanOutRow } from './fanout.ts';
import type { Target } from './orders.ts';
import type { RealtimeApp } from './realtime-bench-app.ts';

/** A route that sends a message to all clients with a subscription, as the documentation of PocketBase shows it. */
const HOOKS = `routerAdd('POST', '/bench/broadcast', (e) => {
  const { payload } = e.requestInfo().body;
  const message = new SubscriptionMessage({ name: 'fan', data: JSON.stringify(payload) });
  const clients = $app.subscriptionsBroker().clients();
  for (const id in clients) if (clients[id].hasSubscription('fan')) clients[id].send(message);
  return e.noContent(204);
});`;

/** Measures broadcasts and changes, beside the same work of PocketBase, whose clients read server-sent events. */
export async function measurePocketBaseRealtime(app: RealtimeApp): Promise<void> {
  await app.sql(NOTES);
  if (POCKETBASE === undefined) {
    process.stdout.write('PocketBase is missing: BENCH_POCKETBASE does not name its program.\n\n');
    return;
  }
  await withPocketBase(POCKETBASE, HOOKS, async (pocketBase) => {
    await createNotes(pocketBase);
    const { port } = pocketBase;
    const events = (subscription: string): Target => ({ kind: 'events', port, subscription });
    const rows: string[][] = [];
    for (const { count, rate } of FAN_OUTS) {
      const target = app.target({ topic: 'fan', config: {} });
      rows.push(await fanOutRow({ name: `${number(count)} sockets, Ninefold`, target, count, rate }));
      rows.push(await fanOutRow({ name: `${number(count)} streams, PocketBase`, target: events('fan'), count, rate }));
    }
    table(fanOutHead, rows);
    const config = { postgres_changes: [{ event: '*', schema: 'public', table: 'notes' }] };
    table(changeHead, [
      await changeRow('Ninefold: insert', app.target({ topic: 'notes', config }), () =>
        app.write('/notes', { at: timeText(), title: 'a title' }),
      ),
      await changeRow('PocketBase: insert', events('notes/*'), () =>
        pocketBase.post('/notes/records', { at: timeText(), title: 'a title' }),
      ),
    ]);
  });
}

/** Creates a collection that anybody reads and writes. */
async function createNotes({ post, superuserToken }: PocketBase): Promise<void> {
  const open = { listRule: '', viewRule: '', createRule: '' };
  const fields = ['at', 'title'].map((name) => ({ name, type: 'text' }));
  await post('', { name: 'notes', type: 'base', ...open, fields }, superuserToken);
}
