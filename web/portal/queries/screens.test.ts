import { describe, expect, it } from 'vitest';
import type { PortalEntity, PortalScreen, PortalScreens } from '../../../contract/portal.ts';
import { placeAt } from './screens.ts';

const screenOf = (route: string, entity: string) => ({ route, entity }) as PortalScreen;
const entityOf = (id: string, shape?: 'integer' | 'uuid') =>
  ({ id, key: ['id'], fields: [{ name: 'id', ...(shape && { shape }) }] }) as unknown as PortalEntity;

const all = {
  screens: [
    screenOf('/tickets', 'tickets'),
    screenOf('/tickets/:id', 'tickets'),
    screenOf('/people/:id', 'people'),
    screenOf('/pages/:id', 'pages'),
  ],
  pages: [{ route: '/pages/overview' }],
  entities: [entityOf('tickets', 'integer'), entityOf('people', 'uuid'), entityOf('pages')],
} as unknown as PortalScreens;

describe('placeAt', () => {
  it.each([
    ['/tickets', {}],
    ['/tickets/12', { id: '12' }],
    ['/people/7f1b0c1e-9a55-4c57-8ad0-0d7e1f0f5f11', { id: '7f1b0c1e-9a55-4c57-8ad0-0d7e1f0f5f11' }],
    ['/pages/new', { id: 'new' }],
  ])('returns the screen and the key at %s', (path, rowKey) => expect(placeAt(all, path)?.rowKey).toEqual(rowKey));

  // A page of several parts has the address of a row.
  it.each(['/tickets/new', '/tickets/12a', '/people/new', '/people/12', '/pages/overview', '/unknown'])(
    'returns no screen at %s, so that no request asks for such a row',
    (path) => expect(placeAt(all, path)).toBe(null),
  );
});
