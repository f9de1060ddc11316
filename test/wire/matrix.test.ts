import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { type Actor, cellsThatLie, type MatrixPlan } from '../support/matrix.ts';
import { probeOf } from '../support/probe.ts';
import { matrixAppSql, newRows, POLICIES, ROWS, TABLES } from './matrix-app.ts';

const node = inject('node');

let app: AppConnection;
let actors: Readonly<Record<string, readonly Actor[]>>;
let specification: Specification;
let other = '';

beforeAll(async () => {
  app = await createApp(node, { name: 'Matrix' });
  const members: Member[] = [];
  for (const name of ['ada', 'bob', 'cleo', 'dora']) members.push(await signUpMember(app, name));
  await runSql(node, app.ref, matrixAppSql(members.map((member) => member.user.id)));
  // Every call is rolled back, so that each one finds the same rows.
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_tx_end`, { value: 'commit-allow-override' });
  const service = clientOf(app, app.secret_key);
  for (const [i, member] of members.entries()) {
    const { error } = await service.auth.admin.updateUserById(member.user.id, {
      app_metadata: { plan: i % 2 === 0 ? 'pro' : 'free' },
    });
    if (error) throw error;
    const { error: stale } = await member.client.auth.refreshSession();
    if (stale) throw stale;
  }
  other = members[1]?.user.id ?? '';
  const asActor = (member: Member): Actor => ({ name: member.email, client: member.client, id: member.user.id });
  actors = {
    anon: [{ name: 'anon', client: clientOf(app), id: null }],
    authenticated: members.map(asActor),
    desk: members.slice(2).map(asActor),
    service_role: [{ name: 'the secret key', client: service, id: null }],
  };
  specification = await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`);
}, 60_000);

const plan = (): MatrixPlan => ({
  calls: { closed: { a: 1 } },
  entities: (name) =>
    name === 'members'
      ? {
          keys: actors.authenticated?.map(({ id }) => ({ who: id })) ?? [],
          inserts: () => [{ team: 3, who: other }],
          changes: [{ team: 1 }],
        }
      : {
          keys: Array.from({ length: ROWS }, (_, i) => ({ id: i + 1 })),
          inserts: (own) => newRows(own, other),
          // Policies with their own WITH CHECK require published rows, so this change can satisfy them.
          changes: [{ note: 'changed' }, { published: true }],
          beyond: { owner: other },
          filter: ['status', ''],
        },
});

describe('an app with 50 tables and 120 policies', () => {
  it('has the intended number of tables and policies', async () => {
    const roles = specification.chapters.roles;
    expect(specification.chapters.entities?.entities.filter((entity) => entity.kind === 'table')).toHaveLength(TABLES);
    expect(roles?.policies).toHaveLength(POLICIES);
    expect(roles?.roles.map((role) => role.name)).toEqual(['anon', 'authenticated', 'desk', 'service_role']);
    const verdicts = (roles?.cells ?? []).map((cell) => cell.verdict);
    for (const verdict of ['always', 'when', 'never']) {
      expect(verdicts.filter((one) => one === verdict).length).toBeGreaterThan(100);
    }
  });

  it('has only cells that match the results of real calls', async () => {
    const { lies, calls } = await cellsThatLie(specification.chapters.roles?.cells ?? [], actors, plan(), 6);
    expect(lies.join('\n')).toBe('');
    expect(calls).toBeGreaterThan(5000);
  }, 300_000);

  it('has no cell that the probe contradicts', async () => {
    const { cells } = await probeOf(node, app.ref);
    expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
    expect(cells).toHaveLength(specification.chapters.roles?.cells.length ?? 0);
    expect(cells.filter((cell) => cell.outcome === 'agrees').length / cells.length).toBeGreaterThan(0.9);
  });
});
