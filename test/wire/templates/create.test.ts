import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { AppConnection, AppSummary } from '../../../contract/admin.ts';
import type { VersionList } from '../../../contract/changes.ts';
import { templateNames } from '../../../contract/templates.ts';
import { admin, createApp, runSql } from '../../support/apps.ts';
import { clone } from '../../support/clone.ts';
import { superuserUrl, withClient } from '../../support/database.ts';
import { cli, type NodeAddress, startNode } from '../../support/node.ts';
import { uniqueRef } from '../../support/unique.ts';

const node = inject('node');

const apps = async (on: NodeAddress = node) => (await admin<AppSummary[]>(on, 'GET', '/apps')).map(({ ref }) => ref);

const post = async (body: object, on: NodeAddress = node) => {
  const response = await fetch(`${on.url}/admin/v1/apps`, {
    method: 'POST',
    headers: { authorization: `Bearer ${on.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('apps create --template', () => {
  it.each(templateNames)(
    '%s: its folder contains the migrations, which count as applied in the new app',
    async (name) => {
      const ref = uniqueRef(name);
      const { code, stdout } = await cli(node, ['apps', 'create', ref, '--template', name, '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout) as AppConnection).toMatchObject({ ref, url: `${node.url}/apps/${ref}` });
      const folder = join(clone, 'templates', name);
      const again = await cli(node, ['migrate', ref, folder, '--json']);
      const { applied, skipped, seeded } = JSON.parse(again.stdout);
      expect([applied, seeded]).toEqual([[], []]);
      expect(skipped.length).toBeGreaterThan(3);
      const { results } = await runSql(node, ref, 'select name from ninefold.migrations order by applied_at, name');
      expect(results[0]?.rows.flat().filter((file) => file !== 'seed.sql')).toEqual(skipped);
    },
  );

  it('creates the first version of the specification with the template’s migrations as causes', async () => {
    const { ref } = await createApp(node, { template: 'notes' });
    const { versions } = await admin<VersionList>(node, 'GET', `/apps/${ref}/versions`);
    expect(versions.map(({ number }) => number)).toEqual([1]);
    expect(versions[0]?.causes).toContainEqual(
      expect.objectContaining({ kind: 'migration', what: '20260101000100_notebooks.sql', actor: 'operator' }),
    );
  });

  it('refuses a template that does not exist, and names those that do', async () => {
    const ref = uniqueRef();
    const { status, body } = await post({ ref, template: '../../etc' });
    expect([status, body.code, body.details]).toEqual([
      400,
      'template_unknown',
      { template: '../../etc', templates: templateNames },
    ]);
    const failed = await cli(node, ['apps', 'create', ref, '--template', 'constructor']);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/helpdesk, booking, notes.*template_unknown/),
    ]);
    expect(await post({ ref, template: 7 })).toMatchObject({ status: 400, body: { code: 'validation_invalid' } });
    const both = await post({ ref, template: 'notes', database: 'postgres' });
    expect([both.status, both.body.code]).toEqual([400, 'validation_invalid']);
    expect(await apps()).not.toContain(ref);
  });

  it('leaves nothing behind if a file fails halfway, and works after the cause is removed', async () => {
    // Uses a separate node, because all apps of a node are copied from the same template database.
    const own = await startNode();
    onTestFinished(() => own.stop());
    const ref = uniqueRef();
    const database = await superuserUrl(own, 'ninefold_template');
    const inTemplate = (sql: string) => withClient(database, (client) => client.query(sql));
    await inTemplate('create table public.tickets ()');
    try {
      const { status, body } = await post({ ref, template: 'helpdesk' }, own);
      expect([status, body.code]).toEqual([409, 'template_failed']);
      expect(body.message).toMatch(/20260101000200_tickets\.sql.*tickets/);
    } finally {
      await inTemplate('drop table public.tickets');
    }
    expect(await apps(own)).not.toContain(ref);
    const left = await withClient(await superuserUrl(own, 'postgres'), (client) =>
      client.query(
        `select datname as name from pg_database where datname like '%' || $1 || '%'
         union all select rolname from pg_roles where rolname like '%' || $1 || '%'`,
        [ref.slice(4)],
      ),
    );
    expect(left.rows).toEqual([]);
    expect((await post({ ref, template: 'helpdesk' }, own)).status).toBe(201);
  });
});
