import type { SupabaseClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { ProbeState } from '../../contract/probe.ts';
import type { RoleCell, Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { matrixAppSql, newRows, POLICIES, TABLES } from './matrix-app.ts';

const node = inject('node');

/** What one call did: how many of the rows that it could have reached it reached. */
interface Met {
  call: string;
  reached: number;
  of: number;
}

interface Actor {
  name: string;
  client: SupabaseClient;
  id: string | null;
}

let app: AppConnection;
let actors: Readonly<Record<string, readonly Actor[]>>;
let specification: Specification;
let other = '';

beforeAll(async () => {
  app = await createApp(node, { name: 'Matrix' });
  const members: Member[] = [];
  for (const name of ['ada', 'bob', 'cleo', 'dora']) members.push(await signUpMember(app, name));
  await runSql(node, app.ref, matrixAppSql(members.map((member) => member.user.id)));
  // Every call is taken back, so that each meets the same rows.
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

const agrees = (cell: RoleCell, met: readonly Met[]): boolean => {
  const some = met.some((one) => one.reached > 0);
  const whole = met.every((one) => one.reached === one.of);
  if (cell.verdict === 'always') return whole;
  return cell.verdict === 'never' ? !some : some && !whole;
};

/** SQLSTATE of what says that rights are missing, or that a view does not take it; anything else is a fault of the test. */
const refusals = new Set(['42501', '42P17', '55000', '44000', '42809']);
const brokenRules = /^23/;

interface Answer {
  error: { code: string; message: string } | null;
  count?: number | null;
  data?: unknown;
}

function met(call: string, answer: Answer, of: number, reached: (answer: Answer) => number): Met {
  if (answer.error === null) return { call, reached: reached(answer), of };
  // A rule is asked after the rights.
  if (brokenRules.test(answer.error.code)) return { call: `${call} (${answer.error.code})`, reached: of, of };
  if (!refusals.has(answer.error.code)) throw new Error(`${call}: ${answer.error.code} ${answer.error.message}`);
  return { call: `${call} (${answer.error.code})`, reached: 0, of };
}

const counted = (answer: Answer): number => answer.count ?? 0;
const listed = (answer: Answer): number => (Array.isArray(answer.data) ? answer.data.length : 0);

const ROWS = 40;

async function tryCell(cell: RoleCell, actor: Actor): Promise<Met[]> {
  const name = cell.entity.replace(/^public\./, '');
  const who = `${actor.name} ${cell.operation} ${name}`;
  const rows = name === 'members' ? 4 : ROWS;
  const key = name === 'members' ? 'team' : 'id';
  const table = actor.client.from(name);
  if (cell.operation === 'select') {
    const asked = ['*', ...(cell.columns ? [cell.columns.join(',')] : [])];
    return Promise.all(
      asked.map(async (columns) => met(`${who} ${columns}`, await table.select(columns), rows, listed)),
    );
  }
  if (cell.operation === 'insert') {
    const given = name === 'members' ? [{ team: 3, who: other }] : newRows(actor.id, other);
    const pick = (row: Record<string, unknown>) =>
      cell.columns ? Object.fromEntries(cell.columns.map((column) => [column, row[column]])) : row;
    const each = given.map(async (row) =>
      met(`${who} ${JSON.stringify(row)}`, await table.insert(row).rollback(), 1, () => 1),
    );
    const cut = cell.columns
      ? [met(`${who} ${cell.columns}`, await table.insert(pick(given[0] ?? {})).rollback(), 1, () => 1)]
      : [];
    return [...(await Promise.all(each)), ...cut];
  }
  const change = name === 'members' ? { team: 1 } : { note: 'changed' };
  const start = (columns: object) =>
    cell.operation === 'update' ? table.update(columns, { count: 'exact' }) : table.delete({ count: 'exact' });
  const filtered = await start(change).gte(key, 0).rollback();
  const wholes = [
    met(`${who} by ${key}`, filtered, rows, counted),
    met(`${who} without a filter`, await start(change).rollback(), rows, counted),
    // New rows that are published pass what is asked of new rows.
    ...(cell.operation === 'update' && name !== 'members'
      ? [met(`${who} as published`, await start({ published: true }).rollback(), rows, counted)]
      : []),
    ...(name === 'members'
      ? []
      : [met(`${who} by status`, await start(change).neq('status', '').rollback(), rows, counted)]),
  ];
  // Where one row is refused, so is the whole: each is tried by itself.
  const isBroken = filtered.error !== null && cell.verdict === 'when' && name !== 'members';
  const ids = isBroken ? Array.from({ length: ROWS }, (_, i) => i + 1) : [];
  const each = ids.map(async (id) => met(`${who} ${id}`, await start(change).eq(key, id).rollback(), 1, counted));
  const beyond = cell.columns
    ? [met(`${who} owner`, await start({ owner: other }).gte(key, 0).rollback(), rows, counted)]
    : [];
  return [...wholes, ...(await Promise.all(each)), ...beyond];
}

async function call(cell: RoleCell, actor: Actor): Promise<Met[]> {
  const name = /^public\.(\w+)/.exec(cell.entity)?.[1] ?? '';
  const given = name === 'closed' ? { a: 1 } : {};
  return [met(`${actor.name} ${cell.entity}`, await actor.client.rpc(name, given).rollback(), 1, () => 1)];
}

describe('an app with 50 tables and 120 policies', () => {
  it('is as large as it is meant to be', async () => {
    const roles = specification.chapters.roles;
    expect(specification.chapters.entities?.entities.filter((entity) => entity.kind === 'table')).toHaveLength(TABLES);
    expect(roles?.policies).toHaveLength(POLICIES);
    expect(roles?.roles.map((role) => role.name)).toEqual(['anon', 'authenticated', 'desk', 'service_role']);
    const verdicts = (roles?.cells ?? []).map((cell) => cell.verdict);
    for (const verdict of ['always', 'when', 'never']) {
      expect(verdicts.filter((one) => one === verdict).length).toBeGreaterThan(100);
    }
  });

  it('every cell claims what a real call meets', async () => {
    const cells = [...(specification.chapters.roles?.cells ?? [])];
    const lies: string[] = [];
    let calls = 0;
    const work = async () => {
      for (let cell = cells.pop(); cell; cell = cells.pop()) {
        const found: Met[] = [];
        for (const actor of actors[cell.role] ?? []) {
          found.push(...(await (cell.operation === 'execute' ? call(cell, actor) : tryCell(cell, actor))));
        }
        calls += found.length;
        if (found.length > 0 && agrees(cell, found)) continue;
        const told = found.map((one) => `    ${one.reached}/${one.of} ${one.call}`).join('\n');
        lies.push(
          `${cell.role} ${cell.operation} ${cell.entity}: ${cell.verdict} ${cell.words} (${cell.reason})\n${told}`,
        );
      }
    };
    await Promise.all(Array.from({ length: 6 }, work));
    expect(lies.join('\n')).toBe('');
    expect(calls).toBeGreaterThan(5000);
  });

  it('and the probe says the same', async () => {
    let state = await admin<ProbeState>(node, 'POST', `/apps/${app.ref}/probe`);
    while (state.running !== null) state = await admin<ProbeState>(node, 'GET', `/apps/${app.ref}/probe`);
    const cells = state.last?.cells ?? [];
    expect(cells.filter((cell) => cell.outcome === 'disagrees')).toEqual([]);
    expect(cells).toHaveLength(specification.chapters.roles?.cells.length ?? 0);
    expect(cells.filter((cell) => cell.outcome === 'agrees').length / cells.length).toBeGreaterThan(0.9);
  });
});
