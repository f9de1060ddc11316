import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leastRoles } from '../../contract/least-roles.ts';
import { clone } from '../../test/support/clone.ts';

const source = readFileSync(join(clone, 'src/admin/handle.ts'), 'utf8');

/** Returns the routes that handle.ts registers for callers who need a role. */
function registered(): string[] {
  const ofNode = source.slice(source.indexOf('const nodeRoutes'), source.indexOf('type AppHandler'));
  const ofAccount = source.slice(source.indexOf('const accountRoutes'), source.indexOf('const routes'));
  const node = [...`${ofNode}${ofAccount}`.matchAll(/method: '(\w+)',\s*path: '([^']*)'/g)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  const apps = [...source.matchAll(/onApp\(\s*'(\w+)',\s*'([^']*)'/g)];
  const own = [...ofAccount.matchAll(/ownAccount\('(\w+)', '([^']*)'/g)];
  return [
    ...node,
    ...apps.map(([, method, path]) => `${method} /apps/:ref${path}`),
    ...own.map(([, method, path]) => `${method} /account${path}`),
  ];
}

it('leastRoles gives each route of the management API a minimum role, and each entry of the table has a route', () => {
  expect(registered().length).toBeGreaterThan(50);
  expect(registered().sort()).toEqual(Object.keys(leastRoles).sort());
});

it('leastRoles gives no route on an app a role of the node as its minimum role', () => {
  const ofApps = Object.entries(leastRoles).filter(([route]) => route.includes(' /apps/:ref'));
  expect(ofApps.filter(([, min]) => !['owner', 'developer', 'reader'].includes(min))).toEqual([]);
});
