import { describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { type Actor, cellsThatLie, type MatrixPlan } from '../support/matrix.ts';
import { dependsOnCode, probeOf } from '../support/probe.ts';
import { type TemplateCase, templateCases } from './matrix-templates.ts';

const node = inject('node');

interface Made {
  app: AppConnection;
  actors: Readonly<Record<string, readonly Actor[]>>;
  ids: Record<string, string>;
}

/** Creates an app from the template with the members and rows of the case. */
async function make({ template, people, seed }: TemplateCase): Promise<Made> {
  const app = await createApp(node, { template });
  // Every call is rolled back, so that each one finds the same rows.
  await admin(node, 'PUT', `/apps/${app.ref}/settings/db_tx_end`, { value: 'commit-allow-override' });
  const members: Record<string, Member> = {};
  for (const name of Object.keys(people)) members[name] = await signUpMember(app, name);
  const ids = Object.fromEntries(Object.entries(members).map(([name, { user }]) => [name, user.id]));
  await runSql(node, app.ref, seed(ids));
  const grants = Object.entries(people).flatMap(([name, roles]) =>
    roles.map((role) => `select ninefold.grant_role('${ids[name]}', '${role}');`),
  );
  await runSql(node, app.ref, `select 1; ${grants.join(' ')}`);
  const actor = ([name, { client, user }]: [string, Member]): Actor => ({ name, client, id: user.id });
  const withRole = (role: string) =>
    Object.entries(members)
      .filter(([name]) => people[name]?.includes(role))
      .map(actor);
  const roles = [...new Set(Object.values(people).flat())];
  return {
    app,
    ids,
    actors: {
      anon: [{ name: 'anon', client: clientOf(app), id: null }],
      authenticated: Object.entries(members).map(actor),
      ...Object.fromEntries(roles.map((role) => [role, withRole(role)])),
      service_role: [{ name: 'the secret key', client: clientOf(app, app.secret_key), id: null }],
    },
  };
}

async function planOf(one: TemplateCase, { app, ids }: Made): Promise<MatrixPlan> {
  const service = clientOf(app, app.secret_key);
  const entities: Record<string, ReturnType<MatrixPlan['entities']>> = {};
  for (const [name, { key, sumsUp, ...tried }] of Object.entries(one.entities(ids))) {
    const { data } = await service.from(name).select('*').throwOnError();
    const keys = data.map((row) => Object.fromEntries(key.map((field) => [field, row[field]])));
    entities[name] = { ...tried, keys, ...(sumsUp === true && { whole: data }) };
  }
  return {
    calls: one.calls,
    entities: (name) => {
      const entity = entities[name];
      if (!entity || entity.keys.length < 2) throw new Error(`there is too little to try ${name} with`);
      return entity;
    },
  };
}

describe.each(templateCases)('the template $template, with the rows of its members', (one) => {
  it('has only cells that match the results of real calls, and the probe reports the same', async () => {
    const made = await make(one);
    const { chapters } = await admin<Specification>(node, 'GET', `/apps/${made.app.ref}/specification`);
    const cells = chapters.roles?.cells ?? [];
    expect(new Set(cells.map((cell) => cell.role))).toEqual(new Set(Object.keys(made.actors)));
    const { lies, calls } = await cellsThatLie(cells, made.actors, await planOf(one, made), 1);
    expect(lies.join('\n')).toBe('');
    expect(calls).toBeGreaterThan(cells.length);

    const report = await probeOf(node, made.app.ref);
    expect(report.cells.filter((cell) => cell.outcome !== 'agrees' && !dependsOnCode(cell))).toEqual([]);
    expect(report.cells).toHaveLength(cells.length);
  });
});
