import { expect, it } from 'vitest';
import { admin, createApp } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { makeUsedHome, startNode } from '../support/node.ts';

it('a node starts on a console that knows no further servers, as earlier versions created it', async () => {
  const home = await makeUsedHome('older-console');
  const older = await startNode({ home });
  const app = await createApp(older);
  await withClient(await superuserUrl(older, 'app_console'), (client) =>
    client.query(`delete from ninefold.schema_files where name = 'console/0005_servers';
      alter table public.apps drop column server, drop column moving_to;
      drop table node.servers, node.left_databases`),
  );
  await older.stop();
  const node = await startNode({ home });
  try {
    expect(await admin(node, 'GET', `/apps/${app.ref}`)).toMatchObject({ ref: app.ref });
  } finally {
    await node.stop();
  }
});
