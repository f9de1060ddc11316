import { expect, it } from 'vitest';
import { routes } from './handle.ts';
import { leastRoles } from './least-role.ts';

it('each route of the management API has a least role, and each entry a route', () => {
  expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(leastRoles).sort());
});

it('no route on one app has a role of the node', () => {
  const ofApps = Object.entries(leastRoles).filter(([route]) => route.includes(' /apps/:ref'));
  expect(ofApps.filter(([, least]) => !['owner', 'developer', 'reader'].includes(least))).toEqual([]);
});
