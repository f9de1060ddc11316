import type { AppConnection } from '../../contract/admin.ts';
import { realtimeLimits } from '../../contract/limits/realtime.ts';
import { sql } from '../app.ts';
import { admin, type BenchNode } from '../node.ts';
import type { Target } from './orders.ts';

/** Settings whose default is below the load of the measurements. */
const RAISED = [
  'realtimeSockets',
  'realtimeJoinsPerSecond',
  'realtimeMessagesPerSecond',
  'realtimeSocketMessagesPerSecond',
  'realtimeSocketBytesPerSecond',
] as const;

export interface RealtimeApp {
  readonly node: BenchNode;
  readonly app: AppConnection;
  /** Returns where sockets of this app connect, and what they join. */
  readonly target: (join: {
    topic: string;
    config: object | null;
    version?: '1.0.0' | '2.0.0';
    /** True if each socket joins as a member of its own. */
    asMembers?: boolean;
  }) => Target;
  /** Runs SQL as the owner of the app. */
  readonly sql: (text: string) => Promise<unknown>;
  /** Sends a data request as the service role. */
  readonly write: (path: string, body: unknown, method?: string) => Promise<void>;
}

/** Creates an app with raised limits. */
export async function makeRealtimeApp(node: BenchNode, ref = 'bench'): Promise<RealtimeApp> {
  const app = await admin<AppConnection>(node, 'POST', '/apps', { ref });
  for (const name of RAISED) {
    const { setting, range } = realtimeLimits[name];
    await admin(node, 'PUT', `/apps/${ref}/settings/${setting}`, { value: range[1] });
  }
  return {
    node,
    app,
    target: ({ topic, config, version = '1.0.0', asMembers = false }) => ({
      kind: 'realtime',
      port: node.port,
      path: `/apps/${ref}/realtime/v1/websocket?apikey=${app.publishable_key}&vsn=${version}`,
      version,
      topic,
      config,
      secret: asMembers ? app.jwt_secret : null,
    }),
    sql: (text) => sql(node, ref, text),
    write: async (path, body, method = 'POST') => {
      const response = await fetch(`${node.url}/apps/${ref}/rest/v1${path}`, {
        method,
        headers: {
          apikey: app.secret_key,
          authorization: `Bearer ${app.secret_key}`,
          'content-type': 'application/json',
          prefer: 'return=minimal',
        },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      await response.arrayBuffer();
    },
  };
}
