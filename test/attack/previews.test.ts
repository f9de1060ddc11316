import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalScreens } from '../../contract/portal.ts';
import { createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';

/** The console shows a caller’s screens in a preview, also for a role without members and for a draft. */
const node = inject('node');
let app: AppConnection;
let ada: Member;
beforeAll(async () => {
  app = await createApp(node, { template: 'helpdesk' });
  ada = await signUpMember(app);
});

describe('screens for a preview', () => {
  const routes = async (url: string, headers: Record<string, string>): Promise<string[]> =>
    ((await (await fetch(url, { headers })).json()) as PortalScreens).screens.map(({ route }) => route);

  it('do not let a member or a visitor choose a role', async () => {
    const screens = `${app.url}/portal/v1/screens`;
    const headers = { apikey: app.publishable_key, authorization: `Bearer ${ada.session.access_token}` };
    const own = await routes(screens, headers);
    expect(own).not.toContain('/queue');
    expect(await routes(`${screens}?role=agent`, headers)).toEqual(own);
    expect(await routes(`${screens}?role=agent`, { apikey: app.publishable_key })).toEqual([]);
    expect(await routes(`${screens}?role=agent`, { apikey: app.publishable_key, 'x-ninefold-as': 'anon' })).toEqual([]);
  });

  it('contain no name of the database for a role that does not exist', async () => {
    const url = `${node.url}/admin/v1/apps/${app.ref}/portal/v1/screens`;
    const headers = { authorization: `Bearer ${node.operatorToken}`, 'x-ninefold-as': ada.user.id };
    const own = await routes(url, headers);
    for (const role of ['service_role', 'postgres', `app_${app.ref}`, "x' or true --", '\u0000']) {
      expect(await routes(`${url}?${new URLSearchParams({ role })}`, headers)).toEqual(own);
    }
    expect(await routes(`${url}?role=agent`, headers)).toContain('/queue');
  });

  it('of a draft leave nothing behind, and belong to the chosen caller only', async () => {
    const draft = `select ninefold.define_screen('/draft', 'Draft', 'list', 'public.tickets', roles => array['agent'])`;
    const trial = async (as: object) => {
      const response = await fetch(`${node.url}/admin/v1/apps/${app.ref}/migrations/trial`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ files: [{ name: '1.sql', sql: draft }], screens_as: as }),
      });
      const { screens, failed, code } = (await response.json()) as {
        screens?: PortalScreens;
        failed?: unknown;
        code?: string;
      };
      return { status: response.status, code, failed, routes: screens?.screens.map(({ route }) => route) };
    };
    const nobody = '00000000-0000-0000-0000-000000000000';
    expect((await trial({ caller: nobody, role: 'agent' })).routes).toContain('/draft');
    expect(await trial({ caller: ada.user.id })).toMatchObject({ failed: null });
    expect((await trial({ caller: ada.user.id })).routes).not.toContain('/draft');
    expect((await trial({ caller: 'anon' })).routes).toEqual([]);
    for (const caller of ['service_role', 'postgres', '', "' or true --"]) {
      expect(await trial({ caller })).toMatchObject({ status: 400, code: 'validation_invalid' });
    }
    const found = await runSql(node, app.ref, `select count(*) from ninefold.screens where route = '/draft'`);
    expect(found.results[0]?.rows).toEqual([['0']]);
  });
});
