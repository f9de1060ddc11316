import { describe, expect, it } from 'vitest';
import type { AppConnection } from './admin.ts';
import { curl, supabaseJs } from './connect-snippets.ts';

const connection: AppConnection = {
  ref: 'helpdesk',
  name: 'Helpdesk',
  url: 'http://127.0.0.1:9009/apps/helpdesk',
  origin: 'http://helpdesk.localhost:9009',
  publishable_key: 'sb_publishable_x',
  secret_key: 'sb_secret_x',
  anon_key: 'a',
  service_role_key: 's',
  jwt_secret: 'j',
  database_url: null,
  reveals: [],
};

describe('snippets', () => {
  it('are valid JavaScript for a name with a quote', () => {
    const code = supabaseJs(connection, { name: `kid's rooms`, fields: ['id', 'Seat no'] });
    expect(code).toContain(String.raw`.from('kid\'s rooms')`);
    expect(code).toContain(`.select('id, "Seat no"')`);
  });

  it('are valid shell code for a name with a quote', () => {
    const line = curl(connection, { name: `kid's rooms`, fields: ['id'] });
    expect(line).toContain(String.raw`/rest/v1/kid'\''s%20rooms?select=id'`);
  });

  it('are valid without an entity', () => {
    expect(supabaseJs(connection, null)).toContain('signUp');
    expect(curl(connection, null)).toContain('/auth/v1/settings');
  });

  it('contain no secret', () => {
    for (const snippet of [supabaseJs(connection, null), curl(connection, null)]) {
      expect(snippet).not.toMatch(/sb_secret|service_role/);
    }
  });
});
