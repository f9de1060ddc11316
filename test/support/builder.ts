import { createClient } from '@supabase/supabase-js';
import ws from 'ws';
import type { SetupState } from '../../contract/admin.ts';
import type { NodeAddress } from './node.ts';

/** The first builder of every node here that has one. */
export const builder = { name: 'Ines Okafor', email: 'ines@northwind.example', password: 'a horse, a battery' };

/** Makes the first builder as the page of the one-time link does; answers a session as supabase-js keeps it, JSON. */
export async function makeBuilder(node: NodeAddress): Promise<string> {
  const token = new URL(node.setupUrl ?? '').hash.replace('#token=', '');
  const setup = `${node.url}/admin/v1/setup`;
  const made = await fetch(setup, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...builder, token }),
  });
  if (!made.ok) throw new Error(`The builder was not made: ${made.status} ${await made.text()}`);
  const state = (await (await fetch(setup)).json()) as SetupState;
  const client = createClient(`${node.url}/apps/console`, state.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
  });
  const { data, error } = await client.auth.signInWithPassword(builder);
  if (error) throw error;
  return JSON.stringify(data.session);
}
